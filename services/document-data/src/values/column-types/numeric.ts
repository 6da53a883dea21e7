import type { Cell, ColumnContext, ColumnType, StoredValue } from '../column-type'
import { plainFromStored } from '../column-type'
import { numberJsonSql, storedNumber } from '../numbers/number-storage'
import { readLocalNumber, readPlainNumber } from '../numbers/number-text'
import { cellText } from '../python-text'

/** Numbers: whole ones stored as INTEGER, others as REAL; infinities and NaN read as null. */
export const numericType: ColumnType = {
  name: 'Numeric',
  affinity: '',
  storage: 'number',
  defaultValue: 0n,
  toStored: (cell, context, { noParse }) => numberToStored(cell, context, noParse),
  fromStored: plainFromStored,
  jsonSql: numberJsonSql,
}

/** Parses text as a number: in Python syntax and, when parsing is enabled, in the format of the locale. */
export function parseNumber(
  text: string,
  context: ColumnContext,
  noParse: boolean,
): number | undefined {
  return readPlainNumber(text) ?? (noParse ? undefined : readLocalNumber(text, context)?.value)
}

function numberToStored(cell: Cell, context: ColumnContext, noParse: boolean): StoredValue {
  switch (typeof cell) {
    case 'number':
      return storedNumber(cell)
    case 'boolean':
      return BigInt(cell)
    case 'string': {
      if (cell === '') return null
      const value = parseNumber(cell, context, noParse)
      return value === undefined ? cell : storedNumber(value)
    }
    default:
      return cell === null ? null : cellText(cell)
  }
}
