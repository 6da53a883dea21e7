import { unknownColumn } from '../../query/filter'
import type { SearchedColumn } from '../../query/search'
import { valueDisplayOf } from '../../query/value-display'
import { isTimeZone } from '../../values/dates/time-zone'
import type { Column, Schema, Table } from '../schema/schema'

/**
 * The columns that a search looks at: those with these ids, or all that are not hidden. Throws AppError `invalid`
 * (UNKNOWN_COLUMN).
 * @param locale in which numbers and dates without a format are shown; undefined where they are shown as in CSV answers
 */
export function searchedColumns(
  schema: Schema,
  table: Table,
  { ids, locale }: { readonly ids: readonly string[]; readonly locale: string | undefined },
): SearchedColumn[] {
  for (const id of ids) if (!table.byId.has(id)) throw unknownColumn(id, table)
  const shownIn = { schema, locale }
  return table.columns
    .filter(({ id, hidden }) => (ids.length > 0 ? ids.includes(id) : !hidden))
    .map((column) => ({ ...toSearched(shownIn, column), shown: findShown(shownIn, column) }))
}

/** Where columns are, and the language in which they are shown. */
interface ShownIn {
  readonly schema: Schema
  readonly locale: string | undefined
}

/** True when a search depends on rows of other tables. */
export function searchesOtherTables(columns: readonly SearchedColumn[]): boolean {
  return columns.some(({ shown }) => shown !== undefined)
}

function toSearched({ schema: { settings }, locale }: ShownIn, column: Column): SearchedColumn {
  const { id, type, pendingAfter, stopped, options } = column
  const own = isTimeZone(settings.timezone) ? settings.timezone : 'UTC'
  const zone = type.argument ?? own
  const display = valueDisplayOf({ type, options, zone }, { locale, usual: settings.locale })
  return { id, type, pendingAfter, stopped, zone, display }
}

/**
 * What references show: their column if one is set, else the first text of the row, or its id. Attachments show the names of
 * their files.
 */
function findShown(shownIn: ShownIn, { type, visibleCol }: Column): SearchedColumn['shown'] {
  const { schema } = shownIn
  const { name, argument = '' } = type
  if (name === 'Attachments') {
    const column = schema.getReadable(argument).byId.get('fileName')
    return column && { tableId: argument, column: toSearched(shownIn, column) }
  }
  const table = name === 'Ref' || name === 'RefList' ? schema.find(argument) : undefined
  if (!table) return undefined
  const chosen = table.columns.find(({ ref }) => ref === visibleCol)
  const column = chosen ?? table.columns.find(isLabel)
  return column && { tableId: table.tableId, column: toSearched(shownIn, column), withIds: !chosen }
}

/** The console labels rows by the first such column. */
const isLabel = ({ type, hidden }: Column): boolean =>
  !hidden && (type.name === 'Text' || type.name === 'Choice')
