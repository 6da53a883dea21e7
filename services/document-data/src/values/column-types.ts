import { anyType } from './column-types/any'
import { attachmentsType } from './column-types/attachments'
import { boolType } from './column-types/bool'
import { choiceType } from './column-types/choice'
import { choiceListType } from './column-types/choice-list'
import type { ColumnType } from './column-type'
import { dateType } from './column-types/date'
import { findDateTimeType } from './column-types/date-time'
import { intType } from './column-types/int'
import { manualSortPosType, positionNumberType } from './column-types/manual-sort-pos'
import { numericType } from './column-types/numeric'
import { createRefType } from './column-types/ref'
import { createRefListType } from './column-types/ref-list'
import { textType } from './column-types/text'
import { unknownColumnType } from './unknown-type'

const plain = [
  textType,
  numericType,
  intType,
  boolType,
  dateType,
  choiceType,
  choiceListType,
  attachmentsType,
  anyType,
  manualSortPosType,
  positionNumberType,
]
/** Of the types that columns are given; those of Sheaf's own columns are not. */
const names = [
  ...plain.filter((type) => type !== manualSortPosType && type !== positionNumberType),
  { name: 'DateTime' },
].map(({ name }) => name)
const MAX_CACHED = 5000
const cache = new Map<string, ColumnType>()

/**
 * Returns the rules of a column type given as in column metadata: `Text`, `DateTime:Europe/Berlin`,
 * `Ref:People`. Throws AppError `invalid` (UNKNOWN_COLUMN_TYPE) for an unknown type or time zone.
 */
export function columnType(type: string): ColumnType {
  const known = cache.get(type)
  if (known) return known
  const made = createType(type)
  if (!made) throw unknownColumnType(type, names)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(type, made)
  return made
}

/** Whether cells of the type are lists, stored as JSON text. */
export function isListType(type: ColumnType): boolean {
  return type.storage === 'list'
}

function createType(type: string): ColumnType | undefined {
  const colon = type.indexOf(':')
  if (colon < 0) return type === 'DateTime' ? findDateTimeType(undefined) : findPlain(type)
  const argument = type.slice(colon + 1)
  switch (type.slice(0, colon)) {
    case 'DateTime':
      return findDateTimeType(argument === '' ? undefined : argument)
    case 'Ref':
      return argument === '' ? undefined : createRefType(argument)
    case 'RefList':
      return argument === '' ? undefined : createRefListType(argument)
    default:
      return undefined
  }
}

function findPlain(name: string): ColumnType | undefined {
  return plain.find((type) => type.name === name)
}
