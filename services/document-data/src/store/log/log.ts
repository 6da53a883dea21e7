import { AppError } from '@sheaf/kit/errors'
import type { StoredValue } from '../../values/column-type'
import { storedNumber } from '../../values/numbers/number-storage'
import type { Connection } from '../sqlite/connections'
import { entryChecksum, LogDamaged, matchesChecksum, type EntryCells } from './entry-checksum'

/** A stored value in the form of the log. A whole number that is safe was stored as an integer. */
export type LogValue = string | number | null

/** A stored value in the form of the log. */
export function logValue(value: StoredValue): LogValue {
  return typeof value === 'bigint' ? Number(value) : value
}

/** Stored values in the form of the log. */
export function logValues(values: readonly StoredValue[]): LogValue[] {
  return values.map(logValue)
}

/** The stored value for a value of the log. */
export function fromLog(value: LogValue): StoredValue {
  return typeof value === 'number' ? storedNumber(value) : value
}

/** The cause of a change, as numbered in the log. */
export const causes = { api: 1, import: 2, formula: 3, undo: 4, form: 5 } as const

/** Values of one column, in the order of the rows of the operation. */
export interface ColumnValues {
  /** Column id as of the change. */
  readonly id: string
  /** Ref of the column; 0 for columns of metadata tables. */
  readonly ref: number
  /** Type at the time of the change, by which the stored values are read. */
  readonly type: string
  /** Type before, when the change is one of types. */
  readonly oldType?: string
  /** Values before; absent for added rows. */
  readonly old?: readonly LogValue[]
  /** Values after; absent for removed rows. */
  readonly new?: readonly LogValue[]
}

/**
 * A change of rows: whole rows when they were added or removed, else the columns in which any row changed.
 */
export interface RowOperation {
  readonly kind: 'add_rows' | 'update_rows' | 'remove_rows'
  readonly table: string
  readonly tableRef: number
  readonly rowIds: readonly number[]
  readonly columns: readonly ColumnValues[]
  /** True for cells that formulas computed: undoing the entry computes them again. */
  readonly derived?: true
  /** True for data that trigger formulas gave. */
  readonly fired?: true
  /** Contents of attachments, in the order of the rows, where the operation gives them any. For redo only. */
  readonly contents?: readonly LoggedContent[]
}

/** A content of an attachment: its bytes are found by its hash. */
export interface LoggedContent {
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly size: number
}

/** A change of tables or columns, with their metadata before and after. */
export interface SchemaOperation {
  readonly kind:
    'add_table' | 'update_table' | 'remove_table' | 'add_column' | 'update_column' | 'remove_column'
  /** Table id before the change. */
  readonly table: string
  readonly tableRef: number
  /** Column id before the change; empty when the table is concerned. */
  readonly column: string
  /** Ref of the column; 0 when the table is concerned. */
  readonly columnRef: number
  readonly old?: object
  readonly new?: object
  /** What a removed column held. */
  readonly cells?: { readonly rowIds: readonly number[]; readonly values: readonly LogValue[] }
  /**
   * Refs of the existing tables that column types in the metadata name: a name may later belong to another
   * table.
   */
  readonly targets?: Targets
  /** True for a formula that a rename in the same entry has changed: undoing the rename changes it again. */
  readonly follows?: true | undefined
  /** What follows neither from the metadata nor from the document, but is needed to redo the operation. */
  readonly redo?: RedoHints
}

/**
 * How an operation on columns changed the stored table. Not sent to clients. Absent parts have their usual
 * value, so that most operations need none.
 */
export interface RedoHints {
  /**
   * On the first of several operations that changed the stored table in one step: the number of these
   * operations of this kind, which follow each other; absent for one.
   */
  readonly together?: number
  /** The value that all cells of the column took. */
  readonly fill?: LogValue
  /** True when an empty column became a data column by its first values. */
  readonly refit?: true
  /** On the first operation of a document that was created empty: its settings. */
  readonly document?: LoggedDocument
}

/** The settings of a document that was created empty. */
export interface LoggedDocument {
  /** Version of the format of the log. */
  readonly format: number
  /** See `_sheaf_state`. Absent in the first documents of format 2. */
  readonly epoch?: string
  /** IANA time zone. */
  readonly timezone: string
  /** JSON object. */
  readonly documentSettings: string
}

/** Version of the format of the log that this release writes. */
export const LOG_FORMAT = 2

/** Hints for the operation at `index` of `count` that change the stored table in one step. */
export function redoTogether(index: number, count: number): RedoHints | undefined {
  return index === 0 && count > 1 ? { together: count } : undefined
}

/** Refs of tables by their ids. */
export type Targets = Readonly<Record<string, number>>

/** One step of a write. A log entry holds its steps as a JSON list. */
export type Operation = RowOperation | SchemaOperation

/** One committed write. */
export interface LogEntry {
  readonly seq: number
  /** Epoch milliseconds. */
  readonly time: number
  readonly user: number
  /** Id of the API key of the request; 0 for none. */
  readonly keyId: number
  readonly cause: number
  readonly traceparent: string
  /** Absent when they exceed the requested limit. */
  readonly operations?: readonly Operation[]
}

/** What trigger formulas learn of the user who writes. */
export interface Person {
  readonly name: string
  readonly email: string
  /** Role on the document. */
  readonly access: string
  readonly isAnonymous: boolean
}

/** The author and cause of a write. */
export interface Author {
  /** User id; 0 for the system. */
  readonly userId: number
  /** Id of the API key of the request; absent for sessions and the system. */
  readonly keyId?: number | undefined
  readonly cause: keyof typeof causes
  /** W3C traceparent of the request; empty when there is none. */
  readonly traceparent: string
  /** Absent for the processes of Sheaf itself. Not part of the log, except where trigger formulas of the write are late. */
  readonly person?: Person
}

/** The entry of a write that is not in the log yet. */
export interface PendingEntry {
  readonly seq: number
  readonly author: Author
  readonly operations: readonly Operation[]
  /** The operations as JSON, and its length in bytes. */
  readonly json: string
  readonly bytes: number
}

/**
 * Maximum bytes of the operations of one entry. SQLite and the log database accept messages of 1 GB, a string of Node has
 * fewer than 512 MiB, and whoever reads the entry holds it several times.
 */
const MAX_ENTRY_BYTES = 256 * 1024 * 1024

/** Encodes an entry. Throws `too_large` beyond 256 MiB. */
export function encodeEntry(
  seq: number,
  author: Author,
  operations: readonly Operation[],
): PendingEntry {
  const json = encodeOperations(operations)
  return { seq, author, operations, json, bytes: sizeOf(json) }
}

/** The entry with further operations at its end. Throws as `encodeEntry`. */
export function extendEntry(entry: PendingEntry, more: readonly Operation[]): PendingEntry {
  const json = encodeOperations(more)
  const joined =
    entry.operations.length === 0 ? json : `${entry.json.slice(0, -1)},${json.slice(1)}`
  const operations = [...entry.operations, ...more]
  return { ...entry, operations, json: joined, bytes: sizeOf(joined) }
}

function encodeOperations(operations: readonly Operation[]): string {
  try {
    return JSON.stringify(operations)
  } catch (error) {
    // A longer string than Node can make.
    if (error instanceof RangeError) throw tooLarge()
    throw error
  }
}

function sizeOf(json: string): number {
  const bytes = Buffer.byteLength(json)
  if (bytes > MAX_ENTRY_BYTES) throw tooLarge()
  return bytes
}

function tooLarge(): AppError {
  const message = 'the request changes more than the log keeps of one change (256 MiB), split it'
  return new AppError('too_large', 'CHANGE_TOO_LARGE', message)
}

/** Where a record stands in the log, and when it was written, in epoch milliseconds. */
export interface RecordPosition {
  readonly lsn: number
  readonly time: number
}

/** Adds the entry of the record at this position to the log, within the transaction of its write. */
export function appendEntry(
  connection: Connection,
  pending: PendingEntry,
  { lsn, time }: RecordPosition,
): LogEntry {
  const entry = asEntry(pending, time)
  storeEntry(connection, entry, { lsn, json: pending.json })
  return entry
}

/** An entry as the log returns it. */
export function asEntry(
  { seq, author, operations }: Pick<PendingEntry, 'seq' | 'author' | 'operations'>,
  time: number,
): Required<LogEntry> {
  const { userId: user, keyId = 0, traceparent, cause } = author
  return { seq, time, user, keyId, cause: causes[cause], traceparent, operations }
}

/** Stores an entry as it is. `json` are its operations as JSON. */
export function storeEntry(
  connection: Connection,
  { seq, time, user, keyId, cause, traceparent, operations }: Required<LogEntry>,
  { lsn, json }: { readonly lsn: number; readonly json: string },
): void {
  const tables = JSON.stringify([...new Set(operations.map(({ tableRef }) => tableRef))])
  const cells = { seq, lsn, time, user, keyId, cause, traceparent, tables, operations: json }
  connection
    .prepare('INSERT INTO _sheaf_log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(seq, time, user, cause, traceparent, tables, json, entryChecksum(cells), lsn, keyId)
}

/** Position of the record of an entry. */
export function readEntryPosition(connection: Connection, seq: number): number {
  const sql = 'SELECT coalesce(lsn, seq) FROM _sheaf_log WHERE seq = ?'
  return connection.pluck<number>(sql).get(seq) ?? 0
}

/** Position and time of the latest entry; zeros for an empty log. */
export function readLatestPosition(connection: Connection): RecordPosition {
  const sql = 'SELECT coalesce(lsn, seq), time FROM _sheaf_log ORDER BY seq DESC LIMIT 1'
  const [lsn, time] = connection.raw<[number, number]>(sql).get() ?? [0, 0]
  return { lsn, time }
}

/** Position of the latest entry; 0 for an empty log. The latest entry is never truncated from the log. */
export function readLatestSeq(connection: Connection): number {
  return connection.pluck<number | null>('SELECT max(seq) FROM _sheaf_log').get() ?? 0
}

/** Position of the oldest entry in the log; 0 when there is none. */
export function readOldestSeq(connection: Connection): number {
  return connection.pluck<number | null>('SELECT min(seq) FROM _sheaf_log').get() ?? 0
}

interface EntryRow extends Omit<EntryCells, 'operations'> {
  readonly operations: string | null
  readonly checksum: number | null
}

const ENTRIES = `
  SELECT seq, lsn, time, user, key_id AS keyId, cause, traceparent, tables,
    CASE WHEN octet_length(operations) <= ? THEN operations END AS operations,
    CASE WHEN octet_length(operations) <= ? THEN checksum END AS checksum
  FROM _sheaf_log WHERE seq > ? AND seq <= ? ORDER BY seq`

/**
 * An entry of the log; undefined when there is none. Operations of more bytes than `maxBytes` are left out.
 * Throws LogDamaged.
 */
export function findEntry(
  connection: Connection,
  seq: number,
  maxBytes: number,
): LogEntry | undefined {
  return readEntries(connection, { after: seq - 1, upTo: seq, maxBytes })[0]
}

/** The range of the log to read. */
export interface EntryRange {
  /** Entries with a greater seq … */
  readonly after: number
  /** … up to this one. */
  readonly upTo: number
  /** Operations of more bytes than this are left out. */
  readonly maxBytes: number
}

/** Entries of the log in order. The range bounds memory, so callers read in steps. Throws LogDamaged. */
export function readEntries(
  connection: Connection,
  { after, upTo, maxBytes }: EntryRange,
): LogEntry[] {
  const rows = connection.prepare<EntryRow>(ENTRIES).all(maxBytes, maxBytes, after, upTo)
  return rows.map(({ operations, tables, checksum, lsn, ...entry }) => {
    if (operations === null) return entry
    if (!matchesChecksum({ ...entry, lsn, tables, operations, checksum }))
      throw new LogDamaged(entry.seq)
    return { ...entry, operations: parseLogged<Operation[]>(operations, entry.seq) }
  })
}

/** The refs of the tables that an entry concerns. Throws LogDamaged. */
export function parseTables(tables: string, seq: number): readonly number[] {
  return parseLogged<number[]>(tables, seq)
}

function parseLogged<T>(text: string, seq: number): T {
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    // The message would quote what is in the log.
    if (cause instanceof SyntaxError) throw new LogDamaged(seq)
    throw cause
  }
}

/**
 * The end of a run of entries after `after` that holds at most `count` entries and about `bytes` bytes, where
 * operations above `maxBytes` count as nothing: the seq of its last entry, or `after` when there are no
 * entries.
 */
export function measureRun(
  connection: Connection,
  after: number,
  limits: { count: number; bytes: number; maxBytes: number },
): number {
  const sizes = connection
    .raw<[number, number]>(
      'SELECT seq, octet_length(operations) FROM _sheaf_log WHERE seq > ? ORDER BY seq LIMIT ?',
    )
    .all(after, limits.count)
  let last = after
  let total = 0
  for (const [seq, size] of sizes) {
    total += size <= limits.maxBytes ? size : 0
    if (last !== after && total > limits.bytes) break
    last = seq
  }
  return last
}
