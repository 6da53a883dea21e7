import type { LogEntry } from './log'

/**
 * Maximum number of cached documents; an entry takes some hundred bytes, since all new documents share their
 * operations.
 */
const MAX_ENTRIES = 10_000

/** The beginning of a log. */
export interface FirstEntry {
  /** Epoch of the document. */
  readonly epoch: string
  readonly entry: LogEntry
}

/**
 * The first log entries of documents created by this process and not opened since: they can be published
 * without opening the files, which would cost several times the creation. Evicted entries are read from the
 * file; an evicted confirmation costs one repeated message.
 */
export class FirstEntries {
  private readonly entries = new Map<string, FirstEntry & { confirmed: boolean }>()

  /** Stores the first entry of a new document. */
  add(docId: string, first: FirstEntry): void {
    const oldest = this.entries.keys().next()
    if (this.entries.size >= MAX_ENTRIES && !oldest.done) this.entries.delete(oldest.value)
    this.entries.set(docId, { ...first, confirmed: false })
  }

  /** The epoch of a document; undefined when only its file holds it. */
  epochOf(docId: string): string | undefined {
    return this.entries.get(docId)?.epoch
  }

  /** The unpublished entries of a document; undefined when only its file holds them. */
  find(docId: string): LogEntry[] | undefined {
    const known = this.entries.get(docId)
    return known && (known.confirmed ? [] : [known.entry])
  }

  /** Records that NATS has confirmed the entry. False when the document is not cached. */
  confirm(docId: string): boolean {
    const known = this.entries.get(docId)
    if (known) known.confirmed = true
    return known !== undefined
  }

  /** True when the document is cached and all of it is published. */
  isConfirmed(docId: string): boolean {
    return this.entries.get(docId)?.confirmed === true
  }

  /** Removes a document that is about to be opened; returns the seq that NATS has confirmed, or 0. */
  take(docId: string): number {
    const known = this.entries.get(docId)
    this.entries.delete(docId)
    return known?.confirmed ? known.entry.seq : 0
  }
}
