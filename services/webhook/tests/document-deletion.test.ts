import { randomUUID } from 'node:crypto'
import { newFields, startTestWebhooks, type TestWebhooks } from './test-webhooks'

describe('a document that is deleted', () => {
  let test: TestWebhooks
  beforeAll(async () => {
    test = await startTestWebhooks()
    test.document.tables = [{ ref: 1, id: 'People', columns: {} }]
  })
  afterAll(() => test[Symbol.asyncDispose]())

  const create = async (docId: string) =>
    test.webhooks.createWebhooks({ docId, webhooks: [newFields()] }, await test.as(docId))
  const remove = async (docId: string) =>
    test.documents.deleteDocument({ docId }, await test.as(docId, { userId: 0, system: true }))
  const tables = ['tombstones', 'documents', 'webhooks'] as const
  const count = (docId: string) =>
    Promise.all(
      tables.map(async (table) => {
        const rows = test.db.selectFrom(table).select('doc_id').where('doc_id', '=', docId)
        return [table, (await rows.execute()).length]
      }),
    ).then(Object.fromEntries)
  const nothing = { tombstones: 1, documents: 0, webhooks: 0 }
  const deleted = { code: 'precondition', reason: 'DOCUMENT_DELETED' }

  it('takes its webhooks, what waits for them and their log with it, and gets no new ones', async () => {
    const docId = randomUUID()
    const kept = randomUUID()
    await create(kept)
    const [id = ''] = (await create(docId)).ids
    const event = { webhook_id: id, seq: 2, row_number: 0, kind: 'add' as const, time_ms: 0 }
    await test.db
      .insertInto('events')
      .values({ ...event, body: '{}' })
      .execute()
    const delivery = { id: 'msg_1', webhook_id: id, size: 1, body: '[]', body_bytes: 2 }
    await test.db.insertInto('deliveries').values(delivery).execute()

    expect(await remove(docId)).toEqual({})
    expect(await count(docId)).toEqual(nothing)
    for (const table of ['events', 'deliveries'] as const)
      expect(await test.db.selectFrom(table).select('webhook_id').execute()).toEqual([])
    await expect(create(docId)).rejects.toMatchObject(deleted)
    expect(await remove(docId)).toEqual({})
    expect(await count(docId)).toEqual(nothing)
    expect(await count(kept)).toEqual({ tombstones: 0, documents: 1, webhooks: 1 })
  })

  it('keeps nothing of webhooks that are made at the same time', async () => {
    const race = async (docId: string) => {
      const [, , , ...creations] = await Promise.allSettled([
        ...[remove(docId), remove(docId), remove(docId)],
        ...[create(docId), create(docId), create(docId)],
      ])
      for (const creation of creations)
        if (creation.status === 'rejected') expect(creation.reason).toMatchObject(deleted)
      expect(await count(docId)).toEqual(nothing)
    }
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 4 }, () => race(randomUUID())))
  })
})
