import { quoteId } from '../../quoting/quote'
import { columnSql, type ReadColumn } from '../../values/error-cells'

/** A formula column of which not all cells are computed, or whose formula was stopped. */
export interface UnfinishedColumn extends ReadColumn {
  readonly tableId: string
}

/** Names in one list at most; a header must not become too long. */
const MAX_NAMES = 50

/**
 * Selects the formula columns of which not all cells are computed, or whose formula was stopped, as `readSchema` finds
 * them: one of which nothing is known has never been computed. Rows are for `toUnfinished`.
 */
export const UNFINISHED_COLUMNS = `
  SELECT t.tableId, c.colId AS id, f.stopped,
    CASE WHEN f.column_ref IS NULL THEN 0 ELSE f.pending_after END AS pendingAfter
  FROM _grist_Tables_column c JOIN _grist_Tables t ON t.id = c.parentId
    LEFT JOIN _sheaf_formulas f ON f.column_ref = c.id
  WHERE c.isFormula AND c.formula <> ''
    AND (f.column_ref IS NULL OR f.pending_after IS NOT NULL OR f.stopped IS NOT NULL)
  ORDER BY t.id, c.parentPos, c.id`

/** A row of UNFINISHED_COLUMNS. */
export interface UnfinishedRow {
  readonly tableId: string
  readonly id: string
  readonly stopped: UnfinishedColumn['stopped'] | null
  readonly pendingAfter: number | null
}

/** The column of a row of UNFINISHED_COLUMNS. */
export function toUnfinished({
  tableId,
  id,
  stopped,
  pendingAfter,
}: UnfinishedRow): UnfinishedColumn {
  return { tableId, id, stopped: stopped ?? undefined, pendingAfter: pendingAfter ?? undefined }
}

/** The unfinished columns of tables. */
export function unfinishedColumns(
  tables: readonly { readonly tableId: string; readonly columns: readonly ReadColumn[] }[],
): UnfinishedColumn[] {
  return tables.flatMap(({ tableId, columns }) =>
    columns
      .filter(({ pendingAfter, stopped }) => pendingAfter !== undefined || stopped)
      .map(({ id, pendingAfter, stopped }) => ({ tableId, id, pendingAfter, stopped })),
  )
}

/** SQL that stores in a column what reads show: nulls where cells are not computed, or the error of a stopped formula. */
export function storeShownSql(column: UnfinishedColumn): string {
  return `UPDATE ${quoteId(column.tableId)} SET ${quoteId(column.id)} = ${columnSql(column)}`
}

/**
 * Names of the columns with cells that are still to be computed, as `Table.Column`, separated by commas; `...` stands for
 * those beyond the first 50. Undefined when there is none.
 */
export function pendingNames(columns: readonly UnfinishedColumn[]): string | undefined {
  const names = columns
    .filter(({ pendingAfter, stopped }) => pendingAfter !== undefined && !stopped)
    .map(({ tableId, id }) => `${encodeURIComponent(tableId)}.${encodeURIComponent(id)}`)
  if (names.length === 0) return undefined
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['...'] : [])].join(', ')
}
