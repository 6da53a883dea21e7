import type { UserAction } from '@sheaf/client'
import type { Column, Row, Table } from '../api/resources'
import { columnName } from '../formats/column'

/** The tables of a document, and the columns of one of them, at a moment. */
export interface TableMoment {
  readonly tables: readonly Table[]
  /** With hidden ones, because they have the positions of rows. */
  readonly columns: readonly Column[]
}

/** A column whose cells can be restored. */
interface RestorableColumn {
  /** Its id at the former moment. */
  readonly idThen: string
  readonly now: Column
}

/** The columns of a table whose cells can be restored, and the names of those whose cells cannot. */
export interface RestorableColumns {
  readonly columns: readonly RestorableColumn[]
  readonly leftOut: readonly string[]
}

/** Selects the columns that have data at both moments, of the same type: other cells cannot be what they were. */
export function restorableColumns(then: TableMoment, now: TableMoment): RestorableColumns {
  const present = new Map(now.columns.map((column) => [column.fields.colRef, column]))
  const columns: RestorableColumn[] = []
  const leftOut: string[] = []
  for (const column of then.columns) {
    if (column.fields.isFormula) continue
    const match = present.get(column.fields.colRef)
    const isSame =
      match && !match.fields.isFormula && kindOf(match, now.tables) === kindOf(column, then.tables)
    if (isSame) columns.push({ idThen: column.id, now: match })
    else leftOut.push(columnName(column))
  }
  return { columns, leftOut }
}

/** The type of a column without what does not change its cells: the name of a referenced table, and a time zone. */
function kindOf({ fields: { type } }: Column, tables: readonly Table[]): string {
  const [name = type, argument] = type.split(':')
  if (name === 'DateTime') return name
  const table = tables.find(({ id }) => id === argument)
  return table ? `${name} ${table.fields.tableRef}` : type
}

/** Rows of a former moment, and what they are restored to. */
export interface FormerRows {
  /** Present id of their table. */
  readonly tableId: string
  readonly rows: readonly Row[]
  /** Ids of those that still exist. */
  readonly presentIds: ReadonlySet<number>
  readonly columns: RestorableColumns['columns']
}

/** Returns the actions that add the deleted rows again, with their ids, and give all rows their former cells. */
export function restoreActions({ tableId, rows, presentIds, columns }: FormerRows): UserAction[] {
  const deleted = rows.filter(({ id }) => !presentIds.has(id))
  // In an added row, these formulas would replace the given cell; in a changed one, the given cell stays.
  const first = columns.filter(({ now }) => !runsOnChanges(now))
  const add: UserAction = ['BulkAddRecord', tableId, idsOf(deleted), cellsOf(deleted, first)]
  const update: UserAction = ['BulkUpdateRecord', tableId, idsOf(rows), cellsOf(rows, columns)]
  return deleted.length === 0 ? [update] : [add, update]
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

const cellsOf = (rows: readonly Row[], columns: FormerRows['columns']) =>
  Object.fromEntries(
    columns.map(({ idThen, now }) => [now.id, rows.map(({ fields }) => fields[idThen] ?? null)]),
  )

/** Returns true for a column with a trigger formula that runs when its row changes. */
function runsOnChanges({ fields: { formula, recalcWhen, recalcDeps } }: Column): boolean {
  return formula !== '' && (recalcWhen === 2 || (recalcWhen === 0 && Array.isArray(recalcDeps)))
}
