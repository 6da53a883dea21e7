import { quoteId } from '../../quoting/quote'
import type { StoredValue } from '../../values/column-type'
import type { Connection } from '../sqlite/connections'
import { logValue, type LogValue } from '../log/log'

/** Rewritten cells in the form of the log: for each row the value before and after. */
export interface RewrittenCells {
  readonly rowIds: number[]
  readonly old: LogValue[]
  readonly after: LogValue[]
}

/** Which cells to rewrite, and how. */
interface Rewriting {
  readonly tableId: string
  readonly colId: string
  /** Must not read or write the document. */
  readonly convert: (value: StoredValue, rowId: number) => StoredValue
}

/**
 * Converts each cell of a column, and returns those that changed. One statement scans
 * the table and calls back for each cell: a statement for each row takes three times as long.
 */
export function rewriteCells(
  connection: Connection,
  { tableId, colId, convert }: Rewriting,
): RewrittenCells {
  const changed: RewrittenCells = { rowIds: [], old: [], after: [] }
  const stored: StoredValue[] = []
  let written = 0
  const changes = (id: number, value: LogValue) => {
    const converted = convert(value, id)
    const after = logValue(converted)
    if (after === value) return 0
    changed.rowIds.push(id)
    changed.old.push(value)
    changed.after.push(after)
    stored.push(converted)
    return 1
  }
  // The order of rows is the same whether SQLite updates each as it is found or searches for all of them
  // first.
  const nextOf = (id: unknown) => {
    if (changed.rowIds[written] !== id) throw new Error('cells are not in the expected order')
    return stored[written++] ?? null
  }
  const { db } = connection
  const [table, cell] = [quoteId(tableId), quoteId(colId)]
  db.function('sheaf_changes', { directOnly: true }, changes)
  db.function('sheaf_next', { directOnly: true }, nextOf)
  try {
    db.prepare(
      `UPDATE ${table} NOT INDEXED SET ${cell} = sheaf_next(id) WHERE sheaf_changes(id, ${cell})`,
    ).run()
  } finally {
    // Otherwise they would hold the cells until the next call.
    db.function('sheaf_changes', { directOnly: true }, gone)
    db.function('sheaf_next', { directOnly: true }, gone)
  }
  return changed
}

function gone(): never {
  throw new Error('cells are rewritten by rewriteCells only')
}
