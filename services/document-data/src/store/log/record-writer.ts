import type { Connection } from '../sqlite/connections'
import type { DueChange } from './due-changes'
import {
  appendEntry,
  asEntry,
  encodeEntry,
  extendEntry,
  readLatestPosition,
  type Author,
  type LogEntry,
  type Operation,
  type PendingEntry,
  type RecordPosition,
} from './log'
import { readStatePosition, type Marks } from './publish-state'
import { readReplyPosition, storeReply, type Reply } from './replies'

/**
 * One step of the log: what one write added, or one change beside the writes, such as new publish marks. Its
 * position is one more than that of the record before, and its time is not earlier.
 */
export interface LogRecord extends RecordPosition {
  /** What the write changed; absent when it changed nothing. */
  readonly entry?: LogEntry
  /** The operations of the entry as JSON, in records of the open transaction. */
  readonly json?: string
  /** Absent when the write has no idempotency key. */
  readonly reply?: Reply
  readonly marks?: Marks
  /**
   * Format to which the file is migrated by this record, which has nothing else; in the first record of a document, the format
   * in which it was created.
   */
  readonly format?: number
  /** Changes of the cells that trigger formulas still have to compute, in records of the open transaction. */
  readonly due?: readonly DueChange[]
}

/** What a write adds to the log. */
export interface NewRecord {
  readonly author: Author
  /** Undefined when the write changed nothing. */
  readonly seq: number | undefined
  readonly operations: readonly Operation[]
  readonly reply: Reply | undefined
}

interface PendingRecord {
  readonly entry: PendingEntry | undefined
  readonly reply: Reply | undefined
}

/** An entry that was stored, and the length of its operations as JSON, in bytes. */
interface StoredEntry {
  readonly entry: LogEntry
  readonly bytes: number
}

/** Position of the latest record of a document file, and the latest time of its log. */
export function readLastPosition(connection: Connection): RecordPosition {
  const latest = [readLatestPosition, readReplyPosition, readStatePosition].map((read) =>
    read(connection),
  )
  return {
    lsn: Math.max(...latest.map(({ lsn }) => lsn)),
    time: Math.max(...latest.map(({ time }) => time)),
  }
}

/** Adds the records of the open transaction of a document to its log, once all writes have been applied. */
export class RecordWriter {
  /** Replies that are not stored yet. */
  readonly pendingReplies: Reply[] = []
  private pending: PendingRecord[] = []
  private records: LogRecord[] = []
  private entries: StoredEntry[] = []
  private due: DueChange[] = []
  /** The latest position on disk. */
  private latest: RecordPosition

  constructor(private readonly connection: Connection) {
    this.latest = readLastPosition(connection)
  }

  /** The records of the open transaction, once they are stored. */
  get stored(): readonly LogRecord[] {
    return this.records
  }

  /** What the records of the open transaction add to the log, as one entry; undefined for nothing. */
  preview(maxBytes: number): LogEntry | undefined {
    const entries = this.pending.flatMap(({ entry }) => entry ?? [])
    const [first] = entries
    if (!first) return undefined
    const size = entries.reduce((sum, { bytes }) => sum + bytes, 0)
    const operations = entries.flatMap((entry) => entry.operations)
    const entry = asEntry({ ...first, operations }, Date.now())
    if (size <= maxBytes) return entry
    const { operations: _, ...rest } = entry
    return rest
  }

  /** Takes a record. Throws `too_large` for an entry of more than 256 MiB. */
  add({ seq, author, operations, reply }: NewRecord): void {
    const entry = seq === undefined ? undefined : encodeEntry(seq, author, operations)
    if (entry ?? reply) this.pending.push({ entry, reply })
    if (reply) this.pendingReplies.push(reply)
  }

  /** Adds operations to the entry with this seq, which was taken and not stored yet. */
  extend(seq: number, operations: readonly Operation[]): void {
    const index = this.pending.findIndex(({ entry }) => entry?.seq === seq)
    const found = this.pending[index]
    if (!found?.entry) throw new Error('there is no such entry in the open transaction')
    this.pending[index] = { ...found, entry: extendEntry(found.entry, operations) }
  }

  /** Adds a change of due cells to the last record of the transaction. Without any there is nothing that it follows from. */
  noteDue(change: DueChange): void {
    this.due.push(change)
  }

  /** Returns a function that forgets the records taken from now on. */
  remember(): () => void {
    const { length } = this.pending
    const replies = this.pendingReplies.length
    return () => {
      this.pending.length = length
      this.pendingReplies.length = replies
    }
  }

  /** Stores the records taken so far, in their order. */
  store(): void {
    for (const { entry, reply } of this.pending) {
      const position = this.next()
      const stored = entry && appendEntry(this.connection, entry, position)
      if (stored) this.entries.push({ entry: stored, bytes: entry.bytes })
      if (reply) storeReply(this.connection, reply, position)
      const { lsn, time } = position
      this.records.push({ lsn, time, entry: stored, json: entry?.json, reply })
    }
    this.pending = []
    this.pendingReplies.length = 0
    this.storeDue()
  }

  /** The position of the record that holds new publish marks: the latest of the transaction, or a new one. */
  place(): RecordPosition {
    const last = this.records.at(-1)
    if (last) return last
    const position = this.next()
    this.records.push(position)
    return position
  }

  /** Adds publish marks to the record at `place`. */
  keepMarks(marks: Marks): void {
    const last = this.records.pop()
    if (last) this.records.push({ ...last, marks })
  }

  /** The transaction is on disk; returns its entries. */
  committed(): readonly StoredEntry[] {
    const { entries } = this
    this.latest = this.records.at(-1) ?? this.latest
    this.forget()
    return entries
  }

  /** The transaction was rolled back. */
  undone(): void {
    this.pending = []
    this.pendingReplies.length = 0
    this.forget()
  }

  private storeDue(): void {
    const last = this.due.length > 0 ? this.records.pop() : undefined
    if (last) this.records.push({ ...last, due: this.due })
    this.due = []
  }

  private forget(): void {
    this.records = []
    this.entries = []
    this.due = []
  }

  private next(): RecordPosition {
    const { lsn, time } = this.records.at(-1) ?? this.latest
    // The clock may go back; times in the log do not.
    return { lsn: lsn + 1, time: Math.max(Date.now(), time) }
  }
}
