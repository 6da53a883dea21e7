import type { StoredEntry } from './stored-entry'

const NAME = 'sheaf-unsaved'
const STORE = 'entries'

/** What identifies an entry: its user, the page that has it, the document, the table, and its id in the table. */
export type EntryKey = readonly [
  userId: number,
  page: string,
  docId: string,
  table: number | string,
  id: string,
]

/** A change of the database. Removals come first. */
export interface EntryChange {
  /** Keys, or parts with which the keys of the removed entries begin. */
  readonly remove: readonly (readonly (string | number)[])[]
  readonly put: readonly (readonly [EntryKey, StoredEntry])[]
}

/** An entry with its key. */
export interface KeyedEntry {
  readonly key: EntryKey
  readonly stored: StoredEntry
}

/** Values that are not stored on the server, in the IndexedDB of the browser. */
export interface EntryDatabase {
  /** Makes all of a change, or none of it and rejects. Changes are made in the order of the calls. */
  apply(change: EntryChange): Promise<void>
  /** Returns the entries of a page, or of all pages of a user, by table in the order of their ids. */
  read(userId: number, page?: string): Promise<KeyedEntry[]>
  /** Returns the pages that have left entries of a user. */
  listPages(userId: number): Promise<string[]>
  /** Deletes the entries of all users but one. */
  removeOthers(userId: number): Promise<void>
}

/** Opens the database. Rejects where the browser has none, or does not permit it, as in some private windows. */
export async function openEntryDatabase(): Promise<EntryDatabase> {
  const request = indexedDB.open(NAME, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE)
  const database = await resultOf(request)
  // A later release must be able to change it while this page is open.
  database.onversionchange = () => database.close()
  const run = async <T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => T,
  ): Promise<T> => {
    const transaction = database.transaction(STORE, mode)
    const done = endOf(transaction)
    const result = work(transaction.objectStore(STORE))
    // Without waiting until the requests are answered: the page may be closed before.
    transaction.commit()
    await done
    return result
  }
  return {
    apply: ({ remove, put }) =>
      run('readwrite', (store) => {
        for (const prefix of remove) store.delete(rangeOf(prefix))
        for (const [key, stored] of put) store.put(stored, [...key])
      }),
    async read(userId, page) {
      const range = rangeOf(page === undefined ? [userId] : [userId, page])
      const [keys, values] = await run('readonly', (store) => [
        store.getAllKeys(range),
        store.getAll(range),
      ])
      const found = values.result as StoredEntry[]
      return found.map((stored, at) => ({ key: keys.result[at] as unknown as EntryKey, stored }))
    },
    async listPages(userId) {
      const keys = await run('readonly', (store) => store.getAllKeys(rangeOf([userId])))
      return [...new Set(keys.result.map((key) => (key as unknown as EntryKey)[1]))]
    },
    removeOthers: (userId) =>
      run('readwrite', (store) => {
        store.delete(IDBKeyRange.upperBound([userId], true))
        store.delete(IDBKeyRange.lowerBound([userId, []], true))
      }),
  }
}

/** Returns the range of the keys that begin with some parts. An array is greater than any number or string. */
const rangeOf = (prefix: readonly (string | number)[]): IDBKeyRange =>
  IDBKeyRange.bound([...prefix], [...prefix, []])

const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the database cannot be opened'))
  })

const endOf = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new Error('the change was aborted'))
  })
