import type { CallOptions } from './call-options.ts'
import type { HistoryChange } from './change.ts'
import type { Call, Connection } from './connection.ts'

/** Which changes of the history are read. */
export interface HistorySelection extends CallOptions {
  /** Only changes of this table. */
  readonly tableId?: string
  /** Only changes of this row of the table. */
  readonly rowId?: number
  /** Only changes before this one. */
  readonly before?: number
  /** Maximum number of changes; all by default. */
  readonly limit?: number
}

/** Changes of one request. */
const PAGE_CHANGES = 100

/** Yields the history of a document, newest first, page by page. */
export async function* readHistory(
  connection: Connection,
  path: string,
  { tableId, rowId, before, limit, ...options }: HistorySelection,
): AsyncGenerator<HistoryChange, void, undefined> {
  let left = limit ?? Infinity
  let next = before ?? null
  for (let isFirst = true; left > 0 && (isFirst || next !== null); isFirst = false) {
    const page = { before: next ?? undefined, limit: Math.min(PAGE_CHANGES, left) }
    const call: Call = { method: 'GET', path, query: { tableId, rowId, ...page } }
    interface Body {
      changes: HistoryChange[]
      next: number | null
    }
    const read: Body = await connection.json<Body>(call, options)
    yield* read.changes
    left -= read.changes.length
    next = read.next
  }
}
