import { toAppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { defaultLimits } from '../../src/config'
import { TestInstance } from '../support/test-instance'

const rows = (count: number, text: string) => Array.from({ length: count }, () => ({ A: text }))

async function tableOf(instance: TestInstance): Promise<string> {
  const docId = await instance.clients.createDocument()
  await instance.clients.addTable(docId, 'T', { A: 'Text' })
  return docId
}

describe('under more writes than an instance takes on', () => {
  it('each is done or refused with a hint, what was done is there, and another document answers', async () => {
    // What a busy machine refuses by itself is another matter.
    const limits = { ...defaultLimits, writes: 100, delayMs: 60_000 }
    await using instance = await TestInstance.start({ limits })
    const { clients } = instance
    const [busy, other] = [await tableOf(instance), await tableOf(instance)]
    await clients.add(other, 'T', rows(1, 'calm'))

    const writes = Array.from({ length: 500 }, (_, i) => clients.add(busy, 'T', rows(1, `w${i}`)))
    const reads = Array.from({ length: 5 }, () => clients.read(other, 'T'))
    const ends = await Promise.allSettled(writes)
    for (const read of await Promise.all(reads)) expect(read).toHaveLength(1)

    const done = ends.flatMap((end, i) => (end.status === 'fulfilled' ? [`w${i}`] : []))
    expect(done.length).toBeGreaterThan(0)
    expect(done.length).toBeLessThan(500)
    for (const end of ends)
      if (end.status === 'rejected') {
        const error = toAppError(end.reason)
        expect(error).toMatchObject({ code: 'too_many', reason: 'DOCUMENT_BUSY' })
        expect(Number(error?.metadata.retryAfterMs)).toBeGreaterThan(0)
      }
    const found = (await clients.read(busy, 'T')).map(({ fields }) => fields.A)
    expect(found.sort()).toEqual(done.sort())
    expect(await clients.add(busy, 'T', rows(1, 'later'))).toHaveLength(1)
  })
})

describe('a caller that goes away', () => {
  it('ends its read, which makes room for others', async () => {
    const limits = { ...defaultLimits, reads: 2, delayMs: 60_000 }
    await using instance = await TestInstance.start({ limits })
    const { clients } = instance
    const docId = await tableOf(instance)
    await clients.add(docId, 'T', rows(20_000, 'x'.repeat(500)))
    const request = ReadRecordsRequest.fromPartial({ docId, tableId: 'T' })
    const call = await clients.as(docId, 'viewers')
    const gone = new AbortController()
    const stream = clients.records.readRecords(request, { ...call, signal: gone.signal })
    const chunks = stream[Symbol.asyncIterator]()
    // One is there, the next ones wait for this reader to take them: the read is under way.
    await chunks.next()
    await expect(clients.read(docId, 'T', { limit: 1 })).rejects.toMatchObject({
      reason: 'DOCUMENT_BUSY',
    })
    gone.abort(new Error('gone'))
    await expect(drain(chunks)).rejects.toBeDefined()
    const read = await eventually(() => clients.read(docId, 'T', { limit: 1 }).catch(() => false))
    expect(read).toHaveLength(1)
  })
})

describe('long reads that nobody reads', () => {
  it('are limited to 12 of one user in all documents, and leave room for another', async () => {
    await using instance = await TestInstance.start()
    const { clients } = instance
    const documents = [await tableOf(instance), await tableOf(instance)]
    for (const docId of documents) await clients.add(docId, 'T', rows(20_000, 'x'.repeat(500)))
    const open: AsyncIterator<unknown>[] = []
    const begin = async (docId: string, userId: number) => {
      const request = ReadRecordsRequest.fromPartial({ docId, tableId: 'T' })
      const call = await clients.as(docId, 'viewers', { userId })
      const chunks = clients.records.readRecords(request, call)[Symbol.asyncIterator]()
      await chunks.next()
      open.push(chunks)
    }
    const [one = '', other = ''] = documents
    for (let read = 0; read < 6; read++) for (const docId of documents) await begin(docId, 7)
    await expect(begin(one, 7)).rejects.toMatchObject({
      code: 'too_many',
      reason: 'TOO_MANY_READS',
      metadata: { retryAfterMs: '1000' },
    })
    await begin(one, 8)
    expect(await clients.read(one, 'T', { limit: 1 })).toHaveLength(1)
    await open[0]?.return?.()
    await eventually(() => begin(other, 7))
    for (const chunks of open) await chunks.return?.()
  })
})

async function drain(chunks: AsyncIterator<unknown>): Promise<void> {
  for (;;) if ((await chunks.next()).done) return
}
