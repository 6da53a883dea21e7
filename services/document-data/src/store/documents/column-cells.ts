import { quoteId } from '../../quoting/quote'
import { fromLog, type LogValue } from '../log/log'
import type { Column, Table } from '../schema/schema'
import { requireRow, type Connection } from '../sqlite/connections'

/** Cells from which on one statement for all of them takes less time than one for each. */
const MANY_CELLS = 64

/** Reads and writes cells of one column of a document, within its transaction. */
export class ColumnCells {
  private readonly from: string
  private readonly name: string

  constructor(
    private readonly connection: Connection,
    { table, column }: { readonly table: Table; readonly column: Column },
  ) {
    this.from = quoteId(table.tableId)
    this.name = quoteId(column.id)
  }

  /** Stored cells in the order of the rows; undefined for rows that do not exist. */
  read(rowIds: readonly number[]): (LogValue | undefined)[] {
    const { connection, from, name } = this
    const found = isRange(rowIds) ? this.readRange(rowIds) : undefined
    if (found) return found
    const cells = new Map(
      connection
        .raw<[number, LogValue]>(
          `SELECT id, ${name} FROM ${from} WHERE id IN (SELECT value FROM json_each(?))`,
        )
        .all(JSON.stringify(rowIds)),
    )
    return rowIds.map((id) => cells.get(id))
  }

  /** Stores cells, in the order of the rows, which exist. */
  write(rowIds: readonly number[], values: readonly LogValue[]): void {
    const { connection, from, name } = this
    if (isRange(rowIds)) {
      const [first = 0] = rowIds
      const update = `UPDATE ${from} SET ${name} = ${FEED}(id) WHERE id BETWEEN ? AND ?`
      feedOf(connection).during(first, values, () =>
        connection.prepare(update).run(first, rowIds.at(-1)),
      )
      return
    }
    const update = connection.prepare(`UPDATE ${from} SET ${name} = ? WHERE id = ?`)
    rowIds.forEach((id, index) => update.run(fromLog(values[index] ?? null), id))
  }

  /** Cells of consecutive rows, as one JSON list; undefined when it cannot hold them, or rows are missing. */
  private readRange(rowIds: readonly number[]): LogValue[] | undefined {
    const { connection, from, name } = this
    const [hasBlob, list] = requireRow(
      connection
        .raw<[number | null, string]>(
          `SELECT max(typeof(c) = 'blob'), json_group_array(iif(typeof(c) = 'blob', NULL, c))
           FROM (SELECT ${name} AS c FROM ${from} WHERE id BETWEEN ? AND ? ORDER BY id)`,
        )
        .get(rowIds[0], rowIds.at(-1)),
    )
    if (hasBlob !== 0) return undefined
    const cells = JSON.parse(list) as LogValue[]
    return cells.length === rowIds.length ? cells : undefined
  }
}

/** True for many consecutive row ids. */
function isRange(rowIds: readonly number[]): boolean {
  const [first = 0] = rowIds
  return rowIds.length >= MANY_CELLS && rowIds.every((id, index) => id === first + index)
}

/** The SQL function that returns the cells of an update, by row id. */
const FEED = 'sheaf_cell'

/** Cells for consecutive rows, as a statement takes them. A list in SQL takes twice as long. */
class CellFeed {
  private first = 0
  private values: readonly LogValue[] = []

  constructor(connection: Connection) {
    connection.db.function(FEED, { directOnly: true }, (id: unknown) =>
      fromLog(this.values[Number(id) - this.first] ?? null),
    )
  }

  /** Runs a statement that takes the cells of the rows from this one on. */
  during(first: number, values: readonly LogValue[], run: () => void): void {
    this.first = first
    this.values = values
    try {
      run()
    } finally {
      this.values = []
    }
  }
}

const feeds = new WeakMap<Connection, CellFeed>()

function feedOf(connection: Connection): CellFeed {
  const known = feeds.get(connection) ?? new CellFeed(connection)
  feeds.set(connection, known)
  return known
}
