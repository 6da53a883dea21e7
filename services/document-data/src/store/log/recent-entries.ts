import type { ByteBudget } from '../sqlite/byte-budget'
import type { LogEntry } from './log'

/** About what an entry takes besides its operations. */
const ENTRY_BYTES = 200

/**
 * The latest entries of one document's log, until they are published: under load reading them back from the
 * file and parsing them would cost about as much as writing them did. Older entries are read from the log.
 */
export class RecentEntries {
  /** Without a gap, up to the latest one. */
  private entries: { readonly entry: LogEntry; readonly bytes: number }[] = []

  constructor(private readonly budget: ByteBudget) {}

  /** Adds the entry that follows the latest one; `bytes` is the length of its operations as JSON. */
  add(entry: LogEntry, operationBytes: number): void {
    const bytes = ENTRY_BYTES + operationBytes
    if (this.budget.take(bytes)) this.entries.push({ entry, bytes })
    else this.clear()
  }

  /** The entries after `after` up to `upTo`; undefined when not all of them are here. */
  find({ after, upTo }: { after: number; upTo: number }): LogEntry[] | undefined {
    const first = this.entries[0]?.entry.seq ?? Infinity
    if (first > after + 1) return undefined
    const found = this.entries.slice(after + 1 - first, upTo + 1 - first)
    return found.length === upTo - after ? found.map(({ entry }) => entry) : undefined
  }

  /** Forgets the entries up to this one: they are published. */
  confirm(seq: number): void {
    const first = this.entries[0]?.entry.seq ?? Infinity
    if (first > seq) return
    for (const { bytes } of this.entries.splice(0, seq + 1 - first)) this.budget.give(bytes)
  }

  /** Forgets everything. */
  clear(): void {
    for (const { bytes } of this.entries) this.budget.give(bytes)
    this.entries = []
  }
}
