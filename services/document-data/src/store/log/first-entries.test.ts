import { tempDir } from '@sheaf/testkit/temp-dir'
import { DocumentStore } from '../documents/document-store'
import { FirstEntries } from './first-entries'
import type { Author, LogEntry } from './log'

const docId = '11111111-1111-4111-8111-111111111111'
const author: Author = { userId: 7, cause: 'api', traceparent: '' }
const settings = { timezone: 'UTC', locale: 'en-US' }

function openStore(folder: string): Promise<DocumentStore> {
  const limits = { maxOpen: 10, idleMs: 60_000, maxReadMs: 60_000, workers: 0, maxIndexes: 0 }
  return DocumentStore.open({ folder, ...limits, onFileError: () => {} })
}

test('the first entry of a new document is published without opening its file', async () => {
  await using folder = await tempDir()
  await using store = await openStore(folder.path)
  await store.lifeCycle.create(docId, settings, author)
  const batch = await store.publishing.nextBatch(docId)
  expect(batch).toMatchObject([{ seq: 1, user: 7, cause: 1 }])
  expect(await store.publishing.listUnpublished()).toEqual([docId])
  store.publishing.confirmPublished(docId, 1)
  expect(await store.publishing.nextBatch(docId)).toEqual([])
  expect(await store.publishing.settle(docId)).toBe(true)
  expect(await store.publishing.listUnpublished()).toEqual([])
  expect(store.openCount).toBe(0)
})

test('what is published from memory is what the file says', async () => {
  await using folder = await tempDir()
  let fromMemory: { entries: LogEntry[]; epoch: string }
  const read = async (store: DocumentStore) => {
    const entries = await store.publishing.nextBatch(docId)
    return { entries, epoch: store.publishing.epochOf(docId) }
  }
  {
    await using store = await openStore(folder.path)
    await store.lifeCycle.create(docId, settings, author)
    fromMemory = await read(store)
    expect(store.openCount).toBe(0)
  }
  await using store = await openStore(folder.path)
  expect(await read(store)).toEqual(fromMemory)
  expect(store.openCount).toBe(1)
})

test('a document that is opened goes on where its first entry was confirmed', async () => {
  await using folder = await tempDir()
  await using store = await openStore(folder.path)
  await store.lifeCycle.create(docId, settings, author)
  store.publishing.confirmPublished(docId, 1)
  await store.transact(docId, author, (doc) =>
    doc.record({ kind: 'add_rows', table: 'Table1', tableRef: 1, rowIds: [1], columns: [] }),
  )
  expect(await store.publishing.nextBatch(docId)).toMatchObject([{ seq: 2 }])
})

test('a document that is opened before the confirmation takes it all the same', async () => {
  await using folder = await tempDir()
  await using store = await openStore(folder.path)
  await store.lifeCycle.create(docId, settings, author)
  expect(store.read(docId, (doc) => doc.seq)).toBe(1)
  expect(await store.publishing.settle(docId)).toBe(false)
  store.publishing.confirmPublished(docId, 1)
  expect(await store.publishing.nextBatch(docId)).toEqual([])
  expect(await store.publishing.settle(docId)).toBe(true)
})

test('a document that was removed has nothing left to publish', async () => {
  await using folder = await tempDir()
  await using store = await openStore(folder.path)
  await store.lifeCycle.create(docId, settings, author)
  await store.lifeCycle.remove(docId)
  await expect(store.publishing.nextBatch(docId)).rejects.toMatchObject({
    reason: 'DOCUMENT_DELETED',
  })
})

test('the memory is bounded: the oldest documents are read from their files again', () => {
  const first = new FirstEntries()
  const entry = { seq: 1, time: 0, user: 0, keyId: 0, cause: 1, traceparent: '' }
  for (let number = 0; number <= 10_000; number++) first.add(String(number), { epoch: '', entry })
  expect(first.find('0')).toBeUndefined()
  expect(first.find('1')).toEqual([entry])
})
