import {
  measureRun,
  readEntries,
  readLatestSeq,
  type Operation,
  type SchemaOperation,
} from '../log/log'
import { VIEWS_REF } from '../schema/metadata-tables'
import { requireRow, type Connection } from '../sqlite/connections'
import type { Moments } from './row-differences'
import type { TablePair } from './table-pairs'

/** A log of more bytes is not read: comparing all rows is faster. */
const MAX_LOG_BYTES = 32 * 1024 * 1024
/** The same for rows that it names in one table. */
const MAX_NAMED_ROWS = 100_000
/** Limits of the entries read at once. */
const RUN = { count: 1_000, bytes: 1024 * 1024, maxBytes: Number.MAX_SAFE_INTEGER }

/** Limits of the search, for tests. */
export interface NamedRowLimits {
  readonly maxLogBytes?: number
  readonly maxNamedRows?: number
}

/** Tells which rows of a table may differ: their ids, ascending; undefined when all may. */
export type NamedRows = (pair: TablePair) => readonly number[] | undefined

/**
 * Finds in the log between the moments which rows may differ; null where other work may run. The files must be of the same
 * history.
 */
export function* findNamedRows(
  moments: Moments,
  { maxLogBytes = MAX_LOG_BYTES, maxNamedRows = MAX_NAMED_ROWS }: NamedRowLimits,
): Generator<null, NamedRows> {
  const [before, after] = [readLatestSeq(moments.before), readLatestSeq(moments.after)]
  const later = after > before ? moments.after : moments.before
  const range = { after: Math.min(before, after), upTo: Math.max(before, after) }
  if (!isShort(later, range, maxLogBytes)) return () => undefined
  const tables = new NamedTables(maxNamedRows)
  for (let at = range.after; at < range.upTo;) {
    const upTo = Math.min(range.upTo, measureRun(later, at, RUN))
    for (const { operations = [] } of readEntries(later, { ...RUN, after: at, upTo }))
      for (const operation of operations) {
        tables.of(operation.tableRef).add(operation)
        // Views come and go with their table, without being named.
        if (isWholeTable(operation)) tables.of(VIEWS_REF).add(operation)
      }
    at = upTo
    yield null
  }
  return (pair) => tables.of(pair.ref).rowsOf(pair)
}

/** True when the log has all entries of the range, and they are few. */
function isShort(
  connection: Connection,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  maxBytes: number,
): boolean {
  const [count, bytes] = requireRow(
    connection
      .raw<[number, number]>(
        `SELECT count(*), coalesce(sum(octet_length(operations)), 0) FROM _sheaf_log
         WHERE seq > ? AND seq <= ?`,
      )
      .get(after, upTo),
  )
  return count === upTo - after && bytes <= maxBytes
}

/** What the log names, by the ref of the table. */
class NamedTables {
  private readonly byRef = new Map<number, NamedTable>()

  constructor(private readonly maxRows: number) {}

  of(ref: number): NamedTable {
    const known = this.byRef.get(ref) ?? new NamedTable(this.maxRows)
    this.byRef.set(ref, known)
    return known
  }
}

/** What the log names of one table. */
class NamedTable {
  private readonly rowIds = new Set<number>()
  /** Refs of columns with cells that may have changed without being named. */
  private readonly rewritten = new Set<number>()
  private isReplaced = false

  constructor(private readonly maxRows: number) {}

  private get isTooLarge(): boolean {
    return this.rowIds.size > this.maxRows
  }

  add(operation: Operation): void {
    if (!('rowIds' in operation)) this.addSchema(operation)
    else if (!this.isTooLarge) for (const id of operation.rowIds) this.rowIds.add(id)
  }

  private addSchema(operation: SchemaOperation): void {
    const { kind, columnRef } = operation
    if (isWholeTable(operation)) this.isReplaced = true
    // Of a removed column that is there again, the log names only the cells that had a value.
    if (kind === 'remove_column' || (kind === 'update_column' && changesCells(operation)))
      this.rewritten.add(columnRef)
  }

  /** See {@link NamedRows}. */
  rowsOf({ before, after }: TablePair): readonly number[] | undefined {
    if (!before || !after || this.isReplaced || this.isTooLarge) return undefined
    const isOpen = after.columns.some(({ ref }) => this.rewritten.has(ref))
    return isOpen ? undefined : [...this.rowIds].sort((a, b) => a - b)
  }
}

const isWholeTable = ({ kind }: Operation): boolean =>
  kind === 'add_table' || kind === 'remove_table'

/** True for a change that may set cells without logging them, as it does when a column was empty or becomes computed. */
function changesCells({ new: after = {}, follows }: SchemaOperation): boolean {
  return !follows && ['type', 'isFormula', 'formula'].some((name) => Object.hasOwn(after, name))
}
