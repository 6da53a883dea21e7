import { setTimeout as delay } from 'node:timers/promises'
import type { ByteBudget } from '../sqlite/byte-budget'
import type { Connection } from '../sqlite/connections'
import type { DueChange } from './due-changes'
import { readEntries, type LogEntry, type Operation } from './log'
import { EVENT_BYTES, PublishState, readEpoch } from './publish-state'
import { RecentEntries } from './recent-entries'
import { RecordWriter, type LogRecord, type NewRecord } from './record-writer'
import type { Reply } from './replies'

/** How long entries wait for a write that fixes their batch along the way. */
const GATHER_MS = 2
/** Bytes of the operations of a preview. */
const PREVIEW_BYTES = 4 * 1024 * 1024

/** What a batch is taken from. */
interface BatchSource {
  /** Position of the latest entry that is on disk. */
  readonly latest: () => number
  /** Fixes the end of the batch in a transaction of its own, by `save`. */
  readonly fix: () => Promise<void>
  /** Runs a read on what is on disk. */
  readonly read: <T>(run: (connection: Connection) => T) => T
}

/** The log of an open document as its writes see it: what they append, and how far it has been published. */
export class DocumentLog {
  private readonly publishing: PublishState
  private readonly recent: RecentEntries
  private readonly records: RecordWriter
  /** Distinguishes this document from earlier states of it; see `_sheaf_state`. */
  readonly epoch: string
  private gathering = false

  constructor(
    private readonly writer: Connection,
    budget: ByteBudget,
  ) {
    this.epoch = readEpoch(writer)
    this.publishing = new PublishState(writer)
    this.recent = new RecentEntries(budget)
    this.records = new RecordWriter(writer)
  }

  /** Entries up to this one have been confirmed by NATS. */
  get published(): number {
    return this.publishing.published
  }

  /** Entries up to this one are published according to the log, with the records of the open transaction. */
  get marked(): number {
    return this.publishing.marked
  }

  /** True while no write may fix the next batch, because more entries will be added to it. */
  get isGathering(): boolean {
    return this.gathering
  }

  /** Lets writes fix the next batch: no more entries will be added to it. */
  endGathering(): void {
    this.gathering = false
  }

  /** True when a confirmation has not been stored. */
  get unsaved(): boolean {
    return this.publishing.unsaved
  }

  /** Replies of the open transaction that are not stored yet. */
  get pendingReplies(): readonly Reply[] {
    return this.records.pendingReplies
  }

  /** The records of the open transaction, once they are stored. */
  get stored(): readonly LogRecord[] {
    return this.records.stored
  }

  /**
   * The next entries to publish, fixed on disk, including those added until `gathered`; empty when all is
   * published.
   */
  async nextBatch(
    { latest, fix, read }: BatchSource,
    gathered?: Promise<unknown>,
  ): Promise<LogEntry[]> {
    const isOpen = () => !this.publishing.batch && latest() > this.published
    const isFull = () => read((connection) => this.publishing.overflows(connection, latest()))
    if (gathered && isOpen() && !isFull()) {
      this.gathering = true
      await gathered
      this.gathering = false
    }
    // Under load the next write fixes it in its own transaction; only without one it takes another.
    if (isOpen()) await delay(GATHER_MS)
    if (isOpen()) await fix()
    const { batch } = this.publishing
    if (!batch) return []
    return (
      this.recent.find(batch) ??
      read((connection) => readEntries(connection, { ...batch, maxBytes: EVENT_BYTES }))
    )
  }

  /** Notes that NATS has confirmed the entries up to this one. */
  confirm(seq: number): void {
    this.publishing.confirm(seq)
    this.recent.confirm(seq)
  }

  /**
   * What the writes of the open transaction, and what is derived from them, add to the log, as one entry; without its
   * operations when they are larger than 4 MiB. Undefined when they change nothing.
   */
  preview(): LogEntry | undefined {
    return this.records.preview(PREVIEW_BYTES)
  }

  /** Takes the record of a write, which `store` adds to the log. Throws `too_large` for one of more than 256 MiB. */
  add(record: NewRecord): void {
    this.records.add(record)
  }

  /** Adds operations to the entry with this seq, which was taken and not stored yet. */
  extend(seq: number, operations: readonly Operation[]): void {
    this.records.extend(seq, operations)
  }

  /** Adds a change of due cells to the records of the open transaction, if it has any. */
  noteDue(change: DueChange): void {
    this.records.noteDue(change)
  }

  /** Returns a function that forgets the records taken from now on, for a write that fails alone. */
  remember(): () => void {
    return this.records.remember()
  }

  /** Adds the records of all writes of the open transaction to the log, in their order. */
  store(): void {
    this.records.store()
  }

  /** Stores how far the log is published, and what to publish next of the entries up to `latest`. */
  save(latest: number): void {
    if (this.gathering) return
    const marks = this.publishing.save(this.writer, latest, () => this.records.place())
    if (marks) this.records.keepMarks(marks)
  }

  /** The transaction is on disk. */
  committed(): void {
    this.publishing.settle(true)
    for (const { entry, bytes } of this.records.committed()) {
      const { operations, ...rest } = entry
      // In the form in which the log returns them: operations too large for a message are left out.
      if (bytes > EVENT_BYTES) this.recent.add(rest, 0)
      else this.recent.add({ ...rest, operations }, bytes)
    }
  }

  /** The transaction was rolled back. */
  undone(): void {
    this.publishing.settle(false)
    this.records.undone()
  }

  /** Empties the memory. Marks that are not stored are lost, which costs a repetition of the same message. */
  close(): void {
    this.recent.clear()
  }
}
