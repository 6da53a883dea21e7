import type { Connection } from '../sqlite/connections'
import {
  findEntry,
  parseTables,
  type LogEntry,
  type Operation,
  type RowOperation,
} from '../log/log'
import type { Schema } from '../schema/schema'
import type { Piece, Rebuilds } from './passes'
import { Rewind } from './rewind'
import type { Completed, RowReader } from './row-reader'

/** Entries examined, and bytes of them undone, before other work runs. */
const STEP = { entries: 500, bytes: 256 * 1024 }

/** What bounds the reading of former rows. */
export interface PastLimits {
  /** False to leave changes as they are in the log. */
  readonly isNeeded: boolean
  /** Position of the latest entry. */
  readonly latest: number
  /** Bytes of the log that one read undoes before it ends early. */
  readonly maxUndoneBytes: number
  /** About how much the rows of one pass may take. */
  readonly maxPassBytes: number
}

/** Rows to rebuild, by the ref of their table, and the pieces and operations that need them. */
function wantedRows(pass: readonly Piece[]) {
  const rows = new Map<number, Set<number>>()
  const slices = new Map<Operation, RowOperation[]>()
  for (const { operation, rebuilt } of pass) {
    // Metadata tables have no refs; their changes are complete as logged.
    if (!rebuilt || !operation || !('rowIds' in operation) || operation.tableRef <= 0) continue
    const ids = rows.get(operation.tableRef) ?? new Set()
    for (const id of operation.rowIds) ids.add(id)
    rows.set(operation.tableRef, ids)
    slices.set(rebuilt, [...(slices.get(rebuilt) ?? []), operation])
  }
  return { rows, slices }
}

/** Completes changes with whole rows as of each change. */
export class PastRowReader implements RowReader {
  readonly rebuilds: Rebuilds = (operation): operation is RowOperation =>
    this.limits.isNeeded && operation.kind === 'update_rows' && 'rowIds' in operation

  /** Bytes of the log undone, in total and for the last pieces. */
  private undoneBytes = 0
  private lastBytes = 0

  constructor(
    private readonly connection: Connection,
    private readonly schema: () => Schema,
    private readonly limits: PastLimits,
  ) {}

  /** True when the next pieces, assumed to cost about as much as the last ones, would exceed the limit. */
  get isSpent(): boolean {
    return this.undoneBytes + this.lastBytes > this.limits.maxUndoneBytes
  }

  /** See {@link RowReader.complete}. */
  *complete(
    entries: readonly LogEntry[],
    pass: readonly Piece[],
    mayRefuse: boolean,
  ): Generator<null, Completed | undefined> {
    const { rows, slices } = wantedRows(pass)
    const completed = new Map<Operation, Operation>()
    if (rows.size === 0) return completed
    const maxBytes = mayRefuse ? this.limits.maxPassBytes : Infinity
    const rewind = new Rewind(this.connection, this.schema(), rows, maxBytes)
    if (rewind.isTooLarge) return undefined
    this.lastBytes = yield* this.undoLater(rewind, entries.at(-1)?.seq ?? 0)
    this.undoneBytes += this.lastBytes
    if (rewind.isTooLarge) return undefined
    const operations = entries.flatMap((entry) => entry.operations ?? [])
    let left = slices.size
    for (const operation of operations.reverse()) {
      const wanted = slices.get(operation)
      wanted?.forEach((slice) => completed.set(slice, rewind.complete(slice)))
      if (wanted && --left === 0) break
      rewind.undo(operation)
      if (rewind.isTooLarge) return undefined
    }
    return completed
  }

  /** Undoes the entries after one. Returns their size in bytes. */
  private *undoLater(rewind: Rewind, seq: number): Generator<null, number> {
    const list = this.connection.raw<[number, string, number]>(
      `SELECT seq, tables, octet_length(operations) FROM _sheaf_log
       WHERE seq > ? AND seq <= ? ORDER BY seq DESC LIMIT ${STEP.entries}`,
    )
    let upTo = this.limits.latest
    let undone = 0
    let step = 0
    while (upTo > seq) {
      const entries = list.all(seq, upTo)
      if (entries.length === 0) break
      for (const [at, tables, size] of entries) {
        upTo = at - 1
        if (!rewind.concerns(parseTables(tables, at))) continue
        undone += size
        step += size
        const { operations = [] } = findEntry(this.connection, at, Number.MAX_SAFE_INTEGER) ?? {}
        for (const operation of [...operations].reverse()) rewind.undo(operation)
        if (rewind.isTooLarge) return undone
        if (step < STEP.bytes) continue
        step = 0
        yield null
      }
      yield null
    }
    return undone
  }
}
