import { AppError } from '@sheaf/kit/errors'
import { requireRow, type Connection } from '../sqlite/connections'
import {
  measureRun,
  readEntries,
  readLatestSeq,
  readOldestSeq,
  type LogEntry,
  type Operation,
  type RowOperation,
} from '../log/log'
import { readSchema, type Schema } from '../schema/schema'
import { PartMaker, sliceRows } from './change-parts'
import type { ChangesPlan } from './changes-plan'
import { Rewind } from './rewind'

/** Limits of entries read from the log at once, and their approximate size in memory. */
const RUN = { count: 1000, bytes: 2 * 1024 * 1024, maxBytes: Number.MAX_SAFE_INTEGER }
/** Maximum rows rebuilt in one pass back through the log, and their approximate total size. */
const PASS_ROWS = 5_000
const PASS_BYTES = 32 * 1024 * 1024
/** Entries examined, and bytes of them undone, before other work runs. */
const STEP = { entries: 500, bytes: 256 * 1024 }
/** Bytes of the log that one read undoes for whole rows before it ends early. */
const MAX_UNDONE_BYTES = 512 * 1024 * 1024
/** Limits of a read on the event loop, which takes some milliseconds. */
const SHORT = {
  read: { entries: 1000, bytes: 128 * 1024 },
  rebuilt: { entries: 200, bytes: 24 * 1024 },
} as const

/** Throws `precondition` when the log does not reach back that far. */
export function requireKept(connection: Connection, after: number): void {
  const oldest = readOldestSeq(connection)
  if (after < oldest - 1)
    throw new AppError(
      'precondition',
      'CHANGES_CUT',
      `the change log does not reach back far enough: its oldest change is ${oldest}`,
      { oldestSeq: String(oldest) },
    )
}

/** True for a read that is short enough for the event loop. */
export function isShortRead(connection: Connection, plan: ChangesPlan): boolean {
  // For whole rows, all later entries count too.
  const { entries, bytes } = plan.fullRows ? SHORT.rebuilt : SHORT.read
  const looked = plan.fullRows ? entries + 1 : Math.min(entries + 1, plan.limit)
  const [count, size] = requireRow(
    connection
      .raw<[number, number]>(
        `SELECT count(*), coalesce(sum(size), 0) FROM
       (SELECT octet_length(operations) AS size FROM _sheaf_log WHERE seq > ? ORDER BY seq LIMIT ?)`,
      )
      .get(plan.after, looked),
  )
  return count <= entries && size <= bytes
}

/** Options of a read. */
interface Given {
  schema?: Schema
  readonly maxUndoneBytes?: number
  readonly maxPassBytes?: number
}

/**
 * The entries of the log, packed (see change-parts.ts), each on demand; null where other work may run. They
 * show what the transaction of the connection sees. With whole rows the read ends early, between two entries,
 * when too much would have to be undone for the next one. The first entry is always returned: a client that
 * continues after the last entry it received reaches the end of the log.
 */
export function* changeParts(
  connection: Connection,
  plan: ChangesPlan,
  { schema, maxUndoneBytes = MAX_UNDONE_BYTES, maxPassBytes = PASS_BYTES }: Given = {},
): Generator<Buffer | null> {
  requireKept(connection, plan.after)
  const latest = readLatestSeq(connection)
  const reader = new RowReader(connection, () => (schema ??= readSchema(connection)), {
    latest,
    maxUndoneBytes,
    maxPassBytes,
  })
  const writer = new EntryWriter(plan.oldValues)
  let { after, limit: left } = plan
  while (left > 0 && after < latest) {
    const upTo = measureRun(connection, after, { ...RUN, count: Math.min(left, RUN.count) })
    const entries = readEntries(connection, { after, upTo, maxBytes: RUN.maxBytes }).map((entry) =>
      select(entry, plan.tableRefs),
    )
    const isDone = yield* partsOf(entries, reader, writer, plan.fullRows)
    if (!isDone) return
    left -= entries.length
    after = upTo
  }
}

function select(entry: LogEntry, tableRefs: readonly number[]): LogEntry {
  if (tableRefs.length === 0) return entry
  const wanted = new Set(tableRefs)
  return { ...entry, operations: entry.operations?.filter(({ tableRef }) => wanted.has(tableRef)) }
}

/** The parts of consecutive entries. Returns false when it ended early, between two of them. */
function* partsOf(
  entries: readonly LogEntry[],
  reader: RowReader,
  writer: EntryWriter,
  fullRows: boolean,
): Generator<Buffer | null, boolean> {
  for (const whole of passes(entries, fullRows)) {
    const waiting = [whole]
    for (let pass = waiting.pop(); pass; pass = waiting.pop()) {
      if (writer.isBetween && reader.isSpent) return false
      const halves = halve(pass)
      const rows = yield* reader.complete(entries, pass, halves !== undefined)
      if (rows) yield* writer.write(pass, rows)
      else waiting.push(...(halves ?? []))
    }
  }
  return true
}

/** Makes parts of pieces. */
class EntryWriter {
  private maker: PartMaker | undefined
  private hasSent = false

  constructor(private readonly oldValues: boolean) {}

  /** True between the end of an entry and the start of the next one. */
  get isBetween(): boolean {
    return this.hasSent && !this.maker
  }

  *write(pass: readonly Piece[], rows: ReadonlyMap<Operation, Operation>): Generator<Buffer> {
    for (const { entry, operation } of pass) {
      this.maker ??= new PartMaker(entry, this.oldValues)
      if (operation) yield* this.maker.add(rows.get(operation) ?? operation)
      else {
        yield this.maker.end()
        this.maker = undefined
        this.hasSent = true
      }
    }
  }
}

/** The second half of the pieces, and the first; undefined when there is only one row. */
function halve(pass: Piece[]): [Piece[], Piece[]] | undefined {
  if (pass.length > 1) {
    const middle = pass.length >> 1
    return [pass.slice(middle), pass.slice(0, middle)]
  }
  const [piece] = pass
  if (!piece?.rebuilt || !piece.operation || !isRebuilt(piece.operation)) return undefined
  const { operation } = piece
  const { length } = operation.rowIds
  if (length < 2) return undefined
  const part = (from: number, end: number) => [
    { ...piece, operation: sliceRows(operation, from, end) },
  ]
  return [part(length >> 1, length), part(0, length >> 1)]
}

/** An operation of an entry, or some rows of it. */
interface Piece {
  readonly entry: LogEntry
  /** Undefined at the end of the entry. */
  readonly operation?: Operation
  /** The operation whose rows must be rebuilt. */
  readonly rebuilt?: RowOperation
}

/**
 * Pieces in order, in groups that can be rebuilt in one pass; an entry is divided only if it exceeds one
 * group.
 */
function* passes(entries: readonly LogEntry[], fullRows: boolean): Generator<Piece[]> {
  let pass: Piece[] = []
  let rows = 0
  for (const entry of entries) {
    if (rows > 0 && rows + countRebuilt(entry) > PASS_ROWS) {
      yield pass
      pass = []
      rows = 0
    }
    for (const operation of entry.operations ?? []) {
      if (!fullRows || !isRebuilt(operation)) {
        pass.push({ entry, operation })
        continue
      }
      for (let from = 0; from < operation.rowIds.length;) {
        if (rows === PASS_ROWS) {
          yield pass
          pass = []
          rows = 0
        }
        const end = Math.min(operation.rowIds.length, from + PASS_ROWS - rows)
        pass.push({ entry, operation: sliceRows(operation, from, end), rebuilt: operation })
        rows += end - from
        from = end
      }
    }
    pass.push({ entry })
  }
  yield pass
}

const isRebuilt = (operation: Operation): operation is RowOperation =>
  operation.kind === 'update_rows' && 'rowIds' in operation

function countRebuilt({ operations = [] }: LogEntry): number {
  return operations.filter(isRebuilt).reduce((sum, { rowIds }) => sum + rowIds.length, 0)
}

/** Rows to rebuild, by the ref of their table, and the pieces and operations that need them. */
function wantedRows(pass: readonly Piece[]) {
  const rows = new Map<number, Set<number>>()
  const slices = new Map<Operation, RowOperation[]>()
  for (const { operation, rebuilt } of pass) {
    // Metadata tables have no refs; their changes are complete as logged.
    if (!rebuilt || !operation || !('rowIds' in operation) || operation.tableRef === 0) continue
    const ids = rows.get(operation.tableRef) ?? new Set()
    for (const id of operation.rowIds) ids.add(id)
    rows.set(operation.tableRef, ids)
    slices.set(rebuilt, [...(slices.get(rebuilt) ?? []), operation])
  }
  return { rows, slices }
}

/** Rebuilds rows in a former state. */
class RowReader {
  /** Bytes of the log undone, in total and for the last pieces. */
  private undoneBytes = 0
  private lastBytes = 0

  constructor(
    private readonly connection: Connection,
    private readonly schema: () => Schema,
    private readonly limits: Required<Omit<Given, 'schema'>> & { readonly latest: number },
  ) {}

  /** True when the next pieces, assumed to cost about as much as the last ones, would exceed the limit. */
  get isSpent(): boolean {
    return this.undoneBytes + this.lastBytes > this.limits.maxUndoneBytes
  }

  /**
   * The operations of these pieces with whole rows, for those that need it. `entries` are all that lie
   * between the first piece and the last. Undefined when the rows are too large together, and `mayRefuse`.
   */
  *complete(
    entries: readonly LogEntry[],
    pass: readonly Piece[],
    mayRefuse: boolean,
  ): Generator<null, ReadonlyMap<Operation, Operation> | undefined> {
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
    const read = this.connection.pluck<string>('SELECT operations FROM _sheaf_log WHERE seq = ?')
    let upTo = this.limits.latest
    let undone = 0
    let step = 0
    while (upTo > seq) {
      const entries = list.all(seq, upTo)
      if (entries.length === 0) break
      for (const [at, tables, size] of entries) {
        upTo = at - 1
        if (!rewind.concerns(JSON.parse(tables) as number[])) continue
        undone += size
        step += size
        const operations = JSON.parse(requireRow(read.get(at))) as Operation[]
        for (const operation of operations.reverse()) rewind.undo(operation)
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
