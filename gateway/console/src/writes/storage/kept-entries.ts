import { countCells, isSameEntry, type TableEntry } from '../table/table-entry'
import type { EntryKey } from './entry-database'
import { toStored, type StoredEntry, type TableName } from './stored-entry'

/** An entry of a table of the outbox. */
export interface OutboxEntry {
  readonly docId: string
  /** The ref of the table, or its id where the ref is not known. */
  readonly table: number | string
  readonly name: TableName
  readonly entry: TableEntry
}

interface KeptEntry {
  readonly key: EntryKey
  readonly entry: TableEntry
  /** Number of characters. */
  readonly size: number
}

/** What has to change in the browser for it to have the entries of this page. */
export interface StoragePlan {
  readonly remove: readonly EntryKey[]
  readonly put: readonly (readonly [EntryKey, StoredEntry])[]
  /** Number of cells for which there is no room. */
  readonly left: number
}

/** The entries of this page that the browser has. */
export class KeptEntries {
  private readonly kept = new Map<string, KeptEntry>()

  constructor(
    private readonly userId: number,
    private readonly page: string,
  ) {}

  /** Returns what has to change for the browser to have the present entries, as far as the limit permits, and assumes that it does. */
  plan(present: readonly OutboxEntry[], maxChars: number): StoragePlan {
    const keyed = new Map(
      present.map((one) => {
        const key = this.keyOf(one)
        return [JSON.stringify(key), { ...one, key }]
      }),
    )
    const remove: EntryKey[] = []
    const put: (readonly [EntryKey, StoredEntry])[] = []
    let left = 0
    for (const [name, { key }] of this.kept) if (!keyed.has(name)) remove.push(key)
    for (const key of remove) this.kept.delete(JSON.stringify(key))
    let total = [...this.kept.values()].reduce((sum, { size }) => sum + size, 0)
    for (const [name, { key, entry, name: table }] of keyed) {
      const before = this.kept.get(name)
      if (before && isSameEntry(before.entry, entry)) continue
      const stored = toStored(entry, table)
      const size = JSON.stringify(stored).length
      total += size - (before?.size ?? 0)
      if (total <= maxChars) {
        this.kept.set(name, { key, entry, size })
        put.push([key, stored])
        continue
      }
      total -= size
      left += countCells(entry)
      this.kept.delete(name)
      if (before) remove.push(key)
    }
    return { remove, put, left }
  }

  /** The entries of a plan could not be stored: the next plan has them again. */
  lose({ put }: StoragePlan): void {
    for (const [key] of put) this.kept.delete(JSON.stringify(key))
  }

  /** All entries were deleted from the browser. */
  clear(): void {
    this.kept.clear()
  }

  private keyOf({ docId, table, entry }: OutboxEntry): EntryKey {
    return [this.userId, this.page, docId, table, entry.id]
  }
}
