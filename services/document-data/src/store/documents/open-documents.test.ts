import { randomUUID } from 'node:crypto'
import { tempDir } from '@sheaf/testkit/temp-dir'
import type { Author } from '../log/log'
import { DocumentStore } from './document-store'

const author: Author = { userId: 1, cause: 'api', traceparent: '' }

async function useStore(
  options: { maxOpen: number },
  work: (store: DocumentStore, docId: string) => Promise<void> | void,
): Promise<void> {
  await using folder = await tempDir()
  await using store = await DocumentStore.open({
    folder: folder.path,
    idleMs: 60_000,
    maxReadMs: 60_000,
    workers: 0,
    maxIndexes: 0,
    onFileError: () => {},
    ...options,
  })
  const docId = await create(store)
  await work(store, docId)
}

async function create(store: DocumentStore): Promise<string> {
  const docId = randomUUID()
  await store.lifeCycle.create(docId, { timezone: 'UTC', locale: 'en-US' }, author)
  return docId
}

const countsOf = ({ shared: { figures } }: DocumentStore) => [figures.uses, figures.openings]

it('counts a request once that asks for the state before it reads or writes', () =>
  useStore({ maxOpen: 10 }, async (store, docId) => {
    store.stateOf(docId)
    store.read(docId, () => undefined)
    expect(countsOf(store)).toEqual([1, 1])
    store.stateOf(docId)
    store.read(docId, () => undefined)
    expect(countsOf(store)).toEqual([2, 1])
    store.stateOf(docId)
    await store.transact(docId, author, () => undefined)
    expect(countsOf(store)).toEqual([3, 1])
  }))

it('counts each read, write and publication of a document', () =>
  useStore({ maxOpen: 10 }, async (store, docId) => {
    store.read(docId, () => undefined)
    await store.transact(docId, author, () => undefined)
    await store.readOutside(docId, () => Promise.resolve())
    await store.publishing.nextBatch(docId)
    expect(countsOf(store)).toEqual([4, 1])
  }))

it('never counts more openings than uses when only states are asked for', () =>
  useStore({ maxOpen: 1 }, async (store, docId) => {
    const other = await create(store)
    for (let round = 1; round <= 3; round++) {
      store.stateOf(docId)
      store.stateOf(other)
      expect(countsOf(store)).toEqual([2 * round, 2 * round])
      expect(store.openCount).toBe(1)
    }
  }))

it('translates the errors of SQLite in every kind of use', () =>
  useStore({ maxOpen: 10 }, async (store, docId) => {
    const error = Object.assign(new Error('string or blob too big'), {
      name: 'SqliteError',
      code: 'SQLITE_TOOBIG',
    })
    const tooLarge = () => {
      throw error
    }
    const translated = expect.objectContaining({ reason: 'VALUE_TOO_LARGE' })
    expect(() => store.read(docId, tooLarge)).toThrow('a value is too large to store')
    await expect(store.transact(docId, author, tooLarge)).rejects.toEqual(translated)
    await expect(store.readOutside(docId, () => Promise.reject(error))).rejects.toEqual(translated)
  }))
