import { AppError } from '@sheaf/kit/errors'
import { requireRow, type Connection } from '../sqlite/connections'
import { measureRun, readEntries, readLatestSeq, readOldestSeq, type LogEntry } from '../log/log'
import { readSchema, type Schema } from '../schema/schema'
import { PartMaker } from './change-parts'
import type { ChangesPlan } from './changes-plan'
import { halve, passes, type Piece } from './passes'
import { PastRowReader } from './past-rows'
import { PresentReader } from './present-rows'
import type { Completed, RowReader } from './row-reader'

/** Limits of entries read from the log at once, and their approximate size in memory. */
const RUN = { count: 1000, bytes: 2 * 1024 * 1024, maxBytes: Number.MAX_SAFE_INTEGER }
/** Maximum approximate size of the rows read in one pass. */
const PASS_BYTES = 32 * 1024 * 1024
/** Bytes of the log that one read undoes for whole rows before it ends early. */
const MAX_UNDONE_BYTES = 512 * 1024 * 1024
/** Limits of a read on the event loop, which takes some milliseconds. */
const SHORT = {
  read: { entries: 1000, bytes: 128 * 1024 },
  present: { entries: 1000, bytes: 24 * 1024 },
  rebuilt: { entries: 200, bytes: 24 * 1024 },
} as const

/** What the changes of a plan are read from: the log, the tables, or the log back from the tables. */
function sourceOf({ oldValues, fullRows }: ChangesPlan): keyof typeof SHORT {
  if (!oldValues) return 'present'
  return fullRows ? 'rebuilt' : 'read'
}

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
  const { entries, bytes } = SHORT[sourceOf(plan)]
  // For former rows, all later entries count too.
  const looked = sourceOf(plan) === 'rebuilt' ? entries + 1 : Math.min(entries + 1, plan.limit)
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
 * show what the transaction of the connection sees; without `oldValues`, names and cells are those of now.
 * With former rows the read ends early, between two entries,
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
  const schemaOf = () => (schema ??= readSchema(connection))
  const reader = plan.oldValues
    ? new PastRowReader(connection, schemaOf, {
        isNeeded: plan.fullRows,
        latest,
        maxUndoneBytes,
        maxPassBytes,
      })
    : new PresentReader(connection, schemaOf, { fullRows: plan.fullRows, maxPassBytes })
  const writer = new EntryWriter(plan.oldValues)
  let { after, limit: left } = plan
  while (left > 0 && after < latest) {
    const upTo = measureRun(connection, after, { ...RUN, count: Math.min(left, RUN.count) })
    const entries = readEntries(connection, { after, upTo, maxBytes: RUN.maxBytes }).map((entry) =>
      select(entry, plan.tableRefs),
    )
    const isDone = yield* partsOf(entries, reader, writer)
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
): Generator<Buffer | null, boolean> {
  for (const whole of passes(entries, reader.rebuilds)) {
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

  *write(pass: readonly Piece[], completed: Completed): Generator<Buffer> {
    for (const { entry, operation } of pass) {
      this.maker ??= new PartMaker(entry, this.oldValues)
      if (operation) {
        const sent = completed.has(operation) ? completed.get(operation) : operation
        if (sent) yield* this.maker.add(sent)
      } else {
        yield this.maker.end()
        this.maker = undefined
        this.hasSent = true
      }
    }
  }
}
