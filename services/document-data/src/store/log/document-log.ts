import { setTimeout as delay } from 'node:timers/promises'
import type { ByteBudget } from '../sqlite/byte-budget'
import type { Connection } from '../sqlite/connections'
import {
  appendEntry,
  readEntries,
  type Appended,
  type Author,
  type LogEntry,
  type Operation,
} from './log'
import { EVENT_BYTES, PublishState } from './publish-state'
import { RecentEntries } from './recent-entries'

/** How long entries wait for a write that fixes their batch along the way. */
const GATHER_MS = 2

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
  /** Entries of the transaction that runs. */
  private appended: Appended[] = []
  private gathering = false

  constructor(
    private readonly writer: Connection,
    budget: ByteBudget,
  ) {
    this.publishing = new PublishState(writer)
    this.recent = new RecentEntries(budget)
  }

  /** Entries up to this one have been confirmed by NATS. */
  get published(): number {
    return this.publishing.published
  }

  /** True while no write may fix the next batch, because more entries will be added to it. */
  get isGathering(): boolean {
    return this.gathering
  }

  /** True when a confirmation has not been stored. */
  get unsaved(): boolean {
    return this.publishing.unsaved
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
    if (gathered && isOpen() && !this.publishing.overflows(this.writer, latest())) {
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

  /** Adds an entry, within the transaction of a write. */
  append(seq: number, author: Author, operations: readonly Operation[]): void {
    this.appended.push(appendEntry(this.writer, seq, author, operations))
  }

  /** Returns a function that forgets the entries added from now on, for a write that fails alone. */
  remember(): () => void {
    const { length } = this.appended
    return () => (this.appended.length = length)
  }

  /** Stores how far the log is published, and what to publish next of the entries up to `latest`. */
  save(latest: number): void {
    if (!this.gathering) this.publishing.save(this.writer, latest)
  }

  /** The transaction is on disk. */
  committed(): void {
    this.publishing.settle(true)
    for (const { entry, bytes } of this.appended) {
      const { operations, ...rest } = entry
      // In the form in which the log returns them: operations too large for a message are left out.
      if (bytes > EVENT_BYTES) this.recent.add(rest, 0)
      else this.recent.add({ ...rest, operations }, bytes)
    }
    this.appended = []
  }

  /** The transaction was rolled back. */
  undone(): void {
    this.publishing.settle(false)
    this.appended = []
  }

  /** Stores unsaved marks when `save` is true, and empties the memory. */
  close(latest: number, save: boolean): void {
    this.recent.clear()
    if (!save || !this.unsaved) return
    this.publishing.save(this.writer, latest)
    this.publishing.settle(true)
  }
}
