import { setImmediate as nextTurn } from 'node:timers/promises'
import { quoteId } from '../../quoting/quote'
import { requireRow, type Connection } from '../../store/sqlite/connections'

/** Cells in one message: a few milliseconds of the event loop. */
const CHUNK_CELLS = 20_000

/** Stored cells to send: of a column in all rows or in some, or only the ids of the rows. */
export interface CellsWanted {
  readonly tableId: string
  readonly colId?: string
  readonly rowIds?: readonly number[]
  /** True for a column that has no cells: all are sent as null. */
  readonly isUnstored?: boolean
}

/**
 * Sends stored cells as messages of type `cells`, whose lists SQLite writes. Other work runs between two of them; it
 * cannot write to this document, whose transaction is open.
 */
export async function sendCells(
  connection: Connection,
  wanted: CellsWanted,
  send: (message: Buffer) => void,
): Promise<void> {
  const { tableId, colId, rowIds, isUnstored } = wanted
  const name = colId === undefined ? undefined : isUnstored ? 'NULL' : quoteId(colId)
  const where = rowIds ? ' AND id IN (SELECT value FROM json_each(?))' : ''
  const chunk = (cell: string) =>
    `(SELECT id${cell} FROM ${quoteId(tableId)} NOT INDEXED WHERE id > ?${where} ORDER BY id LIMIT ${CHUNK_CELLS})`
  const bounds = connection.raw<[number | null, number, number]>(
    `SELECT min(id), max(id), count(*) FROM ${chunk('')}`,
  )
  const lists = (columns: string, cell: string) =>
    connection.raw<[Buffer, Buffer?]>(`SELECT ${columns} FROM ${chunk(cell)}`)
  const ids = rowIds ? [JSON.stringify(rowIds)] : []
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const [first, last, count] = requireRow(bounds.get(after, ...ids))
    const isLast = count < CHUNK_CELLS
    const parts: Buffer[] = []
    if (first !== null && last - first === count - 1)
      parts.push(Buffer.from(`{"type":"cells","rows":{"from":${first},"to":${last}}`))
    else {
      const [rows] = requireRow(lists(jsonList('id'), '').get(after, ...ids))
      parts.push(Buffer.from('{"type":"cells","rows":'), rows)
    }
    if (name) {
      const [values] = requireRow(lists(jsonList('c'), `, ${name} AS c`).get(after, ...ids))
      parts.push(Buffer.from(',"values":'), values)
    }
    parts.push(Buffer.from(`,"last":${isLast}}`))
    send(Buffer.concat(parts))
    if (isLast) return
    after = last
    await nextTurn()
  }
}

function jsonList(column: string): string {
  return `CAST(json_group_array(${column}) AS BLOB)`
}

/** Rows of a table that an evaluator has to read again, and the columns of which it holds cells. */
export interface UpdateWanted {
  readonly tableId: string
  readonly columns: readonly { readonly ref: number; readonly id: string }[]
  readonly rowIds: readonly number[]
}

/** The member `updates` of a message for one table, as JSON. */
export function updateJson(connection: Connection, wanted: UpdateWanted): string {
  const { tableId, columns, rowIds } = wanted
  const lists = columns.map((_, i) => `, json_group_array(c${i})`).join('')
  const cells = columns.map(({ id }, i) => `, ${quoteId(id)} AS c${i}`).join('')
  const [rows, ...values] = requireRow(
    connection
      .raw<[string, ...string[]]>(
        `SELECT json_group_array(id)${lists} FROM (
           SELECT id${cells} FROM ${quoteId(tableId)}
           WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id)`,
      )
      .get(JSON.stringify(rowIds)),
  )
  const found = new Set(JSON.parse(rows) as number[])
  const gone = rowIds.filter((id) => !found.has(id))
  const parts = columns.map(({ ref }, i) => `{"ref":${ref},"values":${values[i] ?? '[]'}}`)
  return `{"tableId":${JSON.stringify(tableId)},"rows":${rows},"gone":${JSON.stringify(gone)},"columns":[${parts.join(',')}]}`
}
