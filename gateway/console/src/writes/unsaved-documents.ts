import type { EntryKey, KeyedEntry } from './storage/entry-database'
import type { StoredEntry } from './storage/stored-entry'

/** A document with cells that are not saved. */
export interface UnsavedDocument {
  readonly docId: string
  readonly docName: string
  /** The first table with such cells. */
  readonly tableId: string
  readonly cells: number
}

/** Returns a number of cells in words. */
export const cellCount = (count: number): string =>
  count === 1 ? '1 cell' : `${count.toLocaleString()} cells`

/** Sums the cells of tables by document. Documents without cells are left out. */
export function byDocument(tables: readonly UnsavedDocument[]): UnsavedDocument[] {
  const documents = new Map<string, UnsavedDocument>()
  for (const table of tables) {
    if (table.cells === 0) continue
    const known = documents.get(table.docId)
    documents.set(table.docId, known ? { ...known, cells: known.cells + table.cells } : table)
  }
  return [...documents.values()]
}

/** Returns the entries of each table, with the key of one of them. */
export function byTable(
  entries: readonly KeyedEntry[],
): (readonly [EntryKey, readonly [StoredEntry, ...StoredEntry[]]])[] {
  const tables = new Map<string, readonly [EntryKey, [StoredEntry, ...StoredEntry[]]]>()
  for (const { key, stored } of entries) {
    const [, , docId, table] = key
    const name = JSON.stringify([docId, table])
    const known = tables.get(name)
    if (known) known[1].push(stored)
    else tables.set(name, [key, [stored]])
  }
  return [...tables.values()]
}
