import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell } from '../values/column-type'
import type { ColumnChange } from '../store/structure/column-changes'
import type { NewColumn, NewColumnFields } from '../store/structure/columns'
import { columnReaders, readerOf, type FieldReader } from '../store/structure/metadata-fields'
import type { StructureAction } from '../store/structure/structure-actions'
import { faultOfCell } from './cell'
import { invalidPayload, isObject } from './record-columns'

/** Reads the arguments of an action; paths of faults begin with `path`, the location of the action. */
type Reader = (args: readonly unknown[], path: string) => StructureAction

/** Fields that a column created with its table takes. The others are ignored: clients rely on that. */
const TABLE_COLUMN_FIELDS = [
  ...(['type', 'isFormula', 'formula', 'label', 'widgetOptions'] as const),
  ...(['visibleCol', 'description', 'untieColIdFromLabel'] as const),
] as const
/** Fields that a column added to a table takes. */
const COLUMN_FIELDS = [
  ...TABLE_COLUMN_FIELDS,
  ...(['recalcWhen', 'recalcDeps', 'rules'] as const),
] as const
/** Fields that identify a column. They cannot be changed, and are ignored so that a column read can be sent. */
const FIXED_FIELDS = new Set(['id', 'colId', 'parentId'])

const addColumn: Reader = ([, tableId, colId, given = {}], path) => {
  const info = readObject(given, `${path}[3]`)
  const id = readNewId(colId, `${path}[2]`)
  const fields = readFields(info, COLUMN_FIELDS, `${path}[3]`)
  const position = readPosition(info, `${path}[3]`)
  return {
    kind: 'add_column',
    tableId: readText(tableId, `${path}[1]`),
    // A column added without a formula is an empty column until values are written to it.
    column: { id, fields: { isFormula: true, ...fields, position } },
  }
}

/** Readers of the arguments of actions that change tables and columns, by the name of the action. */
export const structureActions: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'AddTable',
    ([, tableId, columns], path) => ({
      kind: 'add_table',
      table: {
        id: readNewId(tableId, `${path}[1]`),
        columns: readTableColumns(columns, `${path}[2]`),
      },
    }),
  ],
  [
    'AddEmptyTable',
    ([, tableId], path) => {
      const empty: NewColumn = { fields: { isFormula: true } }
      const id = readNewId(tableId, `${path}[1]`)
      return { kind: 'add_table', table: { id, columns: [empty, empty, empty] } }
    },
  ],
  [
    'RenameTable',
    ([, tableId, to], path) => ({
      kind: 'rename_table',
      tableId: readText(tableId, `${path}[1]`),
      to: readText(to, `${path}[2]`),
    }),
  ],
  [
    'RemoveTable',
    ([, tableId], path) => ({ kind: 'remove_table', tableId: readText(tableId, `${path}[1]`) }),
  ],
  // Sheaf has no views, so a column is the same whether views show it or not.
  ['AddColumn', addColumn],
  ['AddVisibleColumn', addColumn],
  ['AddHiddenColumn', addColumn],
  [
    'ModifyColumn',
    ([, tableId, colId, info], path) => ({
      kind: 'update_column',
      ...readNames(tableId, colId, path),
      change: readChange(info, `${path}[3]`),
    }),
  ],
  [
    'RenameColumn',
    ([, tableId, colId, to], path) => ({
      kind: 'rename_column',
      ...readNames(tableId, colId, path),
      change: { colId: readText(to, `${path}[3]`) },
    }),
  ],
  [
    'RemoveColumn',
    ([, tableId, colId], path) => ({ kind: 'remove_column', ...readNames(tableId, colId, path) }),
  ],
])

function readObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalidPayload(`${path} is not an object`)
  return value
}

function readNames(tableId: unknown, colId: unknown, path: string) {
  return { tableId: readText(tableId, `${path}[1]`), colId: readText(colId, `${path}[2]`) }
}

/** Reads text that must be there. */
export function readText(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalidPayload(`${path} is not a string`)
  return value
}

/** The requested id of something new; undefined to take the next free one. */
export function readNewId(value: unknown, path: string): string | undefined {
  return value === null || value === undefined ? undefined : readText(value, path)
}

/** Reads a new column, `{id, fields}`; unknown fields are refused. */
export function readNewColumn(item: Readonly<Record<string, unknown>>, path: string): NewColumn {
  const info = item.fields === undefined ? {} : readObject(item.fields, `${path}.fields`)
  const known: readonly string[] = [...COLUMN_FIELDS, 'parentPos', '_position']
  const unknown = Object.keys(info).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalidField(unknown, `${path}.fields`)
  const { parentPos, _position = parentPos } = info
  const position = readPosition({ _position }, `${path}.fields`)
  const fields = readFields(info, COLUMN_FIELDS, `${path}.fields`)
  return { id: readNewId(item.id, `${path}.id`), fields: { ...fields, position } }
}

function invalidField(name: string, path: string): AppError {
  return new AppError('invalid', 'INVALID_COLUMN', `Invalid column "${shorten(name)}" in ${path}`)
}

function readTableColumns(columns: unknown, path: string): NewColumn[] {
  if (!Array.isArray(columns)) throw invalidPayload(`${path} is not an array`)
  return (columns as unknown[]).map((column, index) => {
    const at = `${path}[${index}]`
    const info = readObject(column, at)
    const fields = readFields(info, TABLE_COLUMN_FIELDS, at)
    // Columns created with their table are data columns unless they have a formula.
    const isFormula = (fields.formula ?? '') !== ''
    return { id: readNewId(info.id, `${at}.id`), fields: { isFormula, ...fields } }
  })
}

function readFields(
  info: Readonly<Record<string, unknown>>,
  known: readonly (keyof NewColumnFields & keyof typeof columnReaders)[],
  path: string,
): NewColumnFields {
  const fields: Record<string, unknown> = {}
  for (const field of known)
    if (Object.hasOwn(info, field))
      fields[field] = readField<unknown>(columnReaders[field], info[field], `${path}.${field}`)
  return fields
}

/** Reads the fields of a column to change. */
export function readChange(value: unknown, path: string): ColumnChange {
  const info = readObject(value, path)
  const change: Record<string, unknown> = {}
  for (const field of Object.keys(info)) {
    if (FIXED_FIELDS.has(field) || field === '_position') continue
    const read = readerOf(columnReaders, field)
    if (!read) throw invalidField(field, path)
    change[field] = readField(read, info[field], `${path}.${field}`)
  }
  const parentPos = readPosition(info, path)
  return parentPos === undefined ? change : { ...change, parentPos }
}

/** The position among the columns, which actions name differently from the metadata. */
function readPosition(info: Readonly<Record<string, unknown>>, path: string): number | undefined {
  const { _position: value = null } = info
  if (value === null) return undefined
  return readField(columnReaders.parentPos, value, `${path}._position`) ?? undefined
}

/** Reads the value of one field. Throws AppError `invalid` for one that does not fit it. */
export function readField<T>(read: FieldReader<T>, value: unknown, path: string): T {
  const fault = faultOfCell(value, path)
  if (fault !== undefined) throw invalidPayload(fault)
  const result = read(value as Cell)
  if (result === undefined) throw new AppError('invalid', 'INVALID_VALUE', `invalid value: ${path}`)
  return result
}
