import { randomUUID } from 'node:crypto'
import { requireRow, type Connection } from '../sqlite/connections'
import type { FirstEntry } from './first-entries'
import {
  appendEntry,
  encodeEntry,
  measureRun,
  type Author,
  type Operation,
  type RecordPosition,
} from './log'

/** Entries with larger operations are sent without them; readers get them from the log. */
export const EVENT_BYTES = 128 * 1024
/** Limits of one message: entries, and approximate bytes, well below the default limit of NATS of 1 MiB. */
const BATCH = { count: 500, bytes: 256 * 1024, maxBytes: EVENT_BYTES }

/** How far a log has been published. */
export interface Marks {
  /** Entries up to this one have been confirmed by NATS. */
  readonly published: number
  /** Last entry of the batch that is being published; not above `published` when there is none. */
  readonly batch: number
}

/**
 * Begins the log of a new document, with an epoch and an entry that represents its whole content. Publishing
 * starts with that entry, so its batch is fixed from the beginning.
 */
export function beginLog(
  connection: Connection,
  author: Author,
  operations: readonly Operation[],
  epoch: string = randomUUID(),
): FirstEntry {
  storeFirstState(connection, epoch)
  const entry = encodeEntry(1, author, operations)
  return { epoch, entry: appendEntry(connection, entry, { lsn: 1, time: Date.now() }) }
}

/** Stores the epoch of a document that has none yet, and its first batch. */
export function storeFirstState(connection: Connection, epoch: string): void {
  connection.prepare('INSERT INTO _sheaf_state (id, epoch, batch_seq) VALUES (1, ?, 1)').run(epoch)
}

/** The epoch of a document: part of its tag, created with the document, different in every copy. */
export function readEpoch(connection: Connection): string {
  return requireRow(connection.pluck<string>('SELECT epoch FROM _sheaf_state WHERE id = 1').get())
}

/** Stores the term of the latest record; see Migration 011. */
export function storeTerm(connection: Connection, term: number): void {
  connection.prepare('UPDATE _sheaf_state SET term = ? WHERE id = 1').run(term)
}

/** Position and time of the latest record that has neither an entry nor a reply. */
export function readStatePosition(connection: Connection): RecordPosition {
  const sql = 'SELECT lsn, time FROM _sheaf_state WHERE id = 1'
  return requireRow(connection.prepare<RecordPosition>(sql).get())
}

/** Stores the position of a record that has neither an entry nor a reply. */
export function storePosition(connection: Connection, { lsn, time }: RecordPosition): void {
  connection.prepare('UPDATE _sheaf_state SET lsn = ?, time = ? WHERE id = 1').run(lsn, time)
}

/** Stores publish marks, which the record at this position holds. */
export function storeMarks(
  connection: Connection,
  { published, batch }: Marks,
  { lsn, time }: RecordPosition,
): void {
  connection
    .prepare(
      'UPDATE _sheaf_state SET published_seq = ?, batch_seq = ?, lsn = ?, time = ? WHERE id = 1',
    )
    .run(published, batch, lsn, time)
}

/**
 * How far a document's log has been published. The end of a batch is stored, within the transaction of a
 * write where possible, before the batch is sent. What has been confirmed is kept in memory and stored with
 * the next write: losing it costs a repetition of the same message, which NATS recognises.
 */
export class PublishState {
  private stored: Marks
  private storing: Marks | undefined
  private confirmed: number

  constructor(connection: Connection) {
    const [published, batch] = requireRow(
      connection
        .raw<[number, number]>('SELECT published_seq, batch_seq FROM _sheaf_state WHERE id = 1')
        .get(),
    )
    this.stored = { published, batch }
    this.confirmed = published
  }

  /** Entries up to this one have been confirmed. */
  get published(): number {
    return this.confirmed
  }

  /** Entries up to this one are confirmed by marks that are stored, or are being stored. */
  get marked(): number {
    return (this.storing ?? this.stored).published
  }

  /** The batch to send: entries after `after` up to `upTo`. Undefined when none is fixed. */
  get batch(): { after: number; upTo: number } | undefined {
    const { batch } = this.stored
    return batch > this.confirmed ? { after: this.confirmed, upTo: batch } : undefined
  }

  /** True when a confirmation has not been stored. */
  get unsaved(): boolean {
    return this.stored.published !== this.confirmed
  }

  /** Notes that NATS has confirmed the entries up to this one. */
  confirm(seq: number): void {
    this.confirmed = Math.max(this.confirmed, seq)
  }

  /** True when some of the entries up to `latest` do not fit into the present message. */
  overflows(connection: Connection, latest: number): boolean {
    return measureRun(connection, this.confirmed, BATCH) < latest
  }

  /**
   * Stores the marks, and fixes a new batch when none is in flight and entries up to `latest` are pending.
   * Returns them; undefined when nothing has changed.
   * @param place the position of the record that holds the marks; called only when there are new ones
   */
  save(connection: Connection, latest: number, place: () => RecordPosition): Marks | undefined {
    const published = this.confirmed
    let { batch } = this.stored
    if (batch <= published && latest > published) batch = measureRun(connection, published, BATCH)
    if (published === this.stored.published && batch === this.stored.batch) return undefined
    this.storing = { published, batch }
    storeMarks(connection, this.storing, place())
    return this.storing
  }

  /** Call when the data written by `save` is on disk, or was rolled back. */
  settle(committed: boolean): void {
    if (committed && this.storing) this.stored = this.storing
    this.storing = undefined
  }
}
