import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { AppError } from '@sheaf/kit/errors'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { readEntries } from '../../src/store/log/log'
import { findReply } from '../../src/store/log/replies'
import type { Change } from '../support/random-changes'
import { randomWrites } from '../support/random-writes'
import { addValues, readRecords } from '../support/cluster-documents'
import { differences, startCluster, type Cluster } from '../support/replicated-store'
import { author, createTable } from '../support/test-store'

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

/** Closes an instance, removes its disk and starts it again. */
async function loseDisk(store: DocumentStore, instance: string): Promise<DocumentStore> {
  await store[Symbol.asyncDispose]()
  await rm(cluster.dataOf(instance), { recursive: true })
  return cluster.open(instance)
}

describe('an instance that has lost its disk', () => {
  it('has every document as it was, with its tag, its history and its replies', async () => {
    const before = await cluster.open('a')
    const docId = await createTable(before, 'T', { A: 'Text' })
    await addValues(before, docId, 'a', 'b')
    const key = { userId: 1, key: 'k', digest: Buffer.alloc(32, 1) }
    await before.transact(docId, author, (doc) => {
      doc.reply = { ...key, seq: doc.nextSeq, bytes: Buffer.from('answer') }
    })
    const seen = { text: await readRecords(before, docId), state: before.stateOf(docId) }
    await using after = await loseDisk(before, 'a')
    await after.prepare(docId)
    expect({ text: await readRecords(after, docId), state: after.stateOf(docId) }).toEqual(seen)
    after.read<void>(docId, ({ connection }) => {
      expect(String(findReply(connection, key))).toBe('answer')
      const entries = readEntries(connection, { after: 0, upTo: 100, maxBytes: 1e6 })
      expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3])
    })
    await addValues(after, docId, 'c')
    expect(after.stateOf(docId)).toMatchObject({ epoch: seen.state.epoch, seq: seen.state.seq + 1 })
  })

  it('has a document that was not created empty', async () => {
    const before = await cluster.open('b')
    const source = await createTable(before, 'T', { A: 'Text' })
    await addValues(before, source, 'a')
    const docId = 'b0000000-0000-4000-8000-000000000001'
    const form = { history: false, data: true, whole: true }
    const bytes = before.snapshots.read(source, form, ({ bytes }) => bytes, { userId: 1 })
    await before.lifeCycle.createFromSnapshot(docId, bytes, author)
    await before.prepare(docId)
    await addValues(before, docId, 'b')
    const seen = await readRecords(before, docId)
    await using after = await loseDisk(before, 'b')
    await after.prepare(docId)
    expect(await readRecords(after, docId)).toBe(seen)
  })

  it('opens a document that another instance has never seen', async () => {
    await using store = await cluster.open('c')
    await expect(store.prepare('c0000000-0000-4000-8000-000000000001')).rejects.toMatchObject({
      reason: 'DOCUMENT_NOT_FOUND',
    })
  })

  it('does not have a deleted document, and nothing is left of it', async () => {
    const before = await cluster.open('d')
    const docId = await createTable(before, 'T', { A: 'Text' })
    await addValues(before, docId, 'a')
    await before.lifeCycle.remove(docId)
    await using after = await loseDisk(before, 'd')
    await expect(after.prepare(docId)).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' })
    await expect(
      after.lifeCycle.create(docId, { timezone: 'UTC', locale: 'en-US' }, author),
    ).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' })
    expect(await cluster.query('select from document_log.record where doc = $1', [docId])).toEqual(
      [],
    )
  })
})

/** Uses an instance for a moment. */
async function useOnce(
  opening: Promise<DocumentStore>,
  run: (store: DocumentStore) => Promise<void> | undefined,
): Promise<void> {
  await using store = await opening
  await run(store)
}

/** Applies a change, again if another instance has opened the document; one that is refused changes nothing. */
async function write(store: DocumentStore, docId: string, change: Change): Promise<void> {
  for (;;) {
    await store.prepare(docId)
    try {
      await store.transact(docId, author, (doc) => change(doc))
      return
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') {
        expect(error).toBeInstanceOf(AppError)
        return
      }
      expect(error.reason).toBe('DOCUMENT_MOVED')
    }
  }
}

it('any writes: the document that another instance makes from the log is the same', async () => {
  await using one = await cluster.open('e')
  let count = 0
  await fc.assert(
    fc.asyncProperty(randomWrites(10), fc.nat(), async (changes, moment) => {
      const docId = await createTable(one, 'People', { Name: 'Text', Friend: 'Ref:People' })
      for (const [index, change] of changes.entries()) {
        // The other instance has a file of this moment, which it brings up to date at the end.
        if (index === moment % 12) await useOnce(cluster.open('f'), (other) => other.prepare(docId))
        await write(one, docId, change)
        if (index % 3 === 0) one.publishing.confirmPublished(docId, one.stateOf(docId).seq)
      }
      await useOnce(cluster.open('f'), async (other) => {
        expect(await differences(one, other, docId)).toEqual([])
      })
      count++
    }),
    { numRuns: 60 },
  )
  expect(count).toBe(60)
})
