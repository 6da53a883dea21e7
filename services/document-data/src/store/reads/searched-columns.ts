import { unknownColumn } from '../../query/filter'
import type { SearchedColumn } from '../../query/search'
import { isTimeZone } from '../../values/dates/time-zone'
import type { Column, Schema, Table } from '../schema/schema'

/**
 * The columns that a search looks at: those with these ids, or all that are not hidden. Throws AppError `invalid`
 * (UNKNOWN_COLUMN).
 */
export function searchedColumns(
  schema: Schema,
  table: Table,
  ids: readonly string[],
): SearchedColumn[] {
  for (const id of ids) if (!table.byId.has(id)) throw unknownColumn(id, table)
  return table.columns
    .filter(({ id, hidden }) => (ids.length > 0 ? ids.includes(id) : !hidden))
    .map((column) => ({ ...toSearched(schema, column), shown: findShown(schema, column) }))
}

/** True when a search depends on rows of other tables. */
export function searchesOtherTables(columns: readonly SearchedColumn[]): boolean {
  return columns.some(({ shown }) => shown !== undefined)
}

function toSearched({ settings }: Schema, column: Column): SearchedColumn {
  const { id, type, pendingAfter, stopped } = column
  const own = isTimeZone(settings.timezone) ? settings.timezone : 'UTC'
  return { id, type, pendingAfter, stopped, zone: type.argument ?? own }
}

/**
 * What references show: their column if one is set, else the first text of the row, or its id. Attachments show the names of
 * their files.
 */
function findShown(schema: Schema, { type, visibleCol }: Column): SearchedColumn['shown'] {
  const { name, argument = '' } = type
  if (name === 'Attachments') {
    const column = schema.getReadable(argument).byId.get('fileName')
    return column && { tableId: argument, column: toSearched(schema, column) }
  }
  const table = name === 'Ref' || name === 'RefList' ? schema.find(argument) : undefined
  if (!table) return undefined
  const chosen = table.columns.find(({ ref }) => ref === visibleCol)
  const column = chosen ?? table.columns.find(isLabel)
  return column && { tableId: table.tableId, column: toSearched(schema, column), withIds: !chosen }
}

/** The console labels rows by the first such column. */
const isLabel = ({ type, hidden }: Column): boolean =>
  !hidden && (type.name === 'Text' || type.name === 'Choice')
