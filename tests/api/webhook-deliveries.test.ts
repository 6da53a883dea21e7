import { randomBytes, randomUUID } from 'node:crypto'
import { openDatabase } from '@sheaf/kit/postgres/database'
import { Closer } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import {
  startReceiver,
  type ReceivedDelivery,
  type WebhookReceiver,
} from '@sheaf/testkit/webhook-receiver'
import { Webhook } from 'standardwebhooks'
import { addTable, newDocument } from '../support/system'

interface Delivery {
  readonly id: string
  readonly status: string
}

const nothing: ReceivedDelivery = { path: '', headers: {}, body: '', at: 0 }

interface Tables {
  documents: { doc_id: string; handled_seq: number }
  webhooks: Record<string, unknown>
}

describe('deliveries of a webhook', () => {
  const closer = new Closer()
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhookId = randomUUID()
  let receiver: WebhookReceiver
  let rest: Rest
  let hook: string
  beforeAll(async () => {
    const { url: databaseUrl } = closer.use(await createTestDatabase())
    receiver = closer.use(await startReceiver())
    const env = { SHEAF_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
    const sheaf = closer.use(await startSheaf({ databaseUrl, env }))
    rest = createRest(sheaf.url, sheaf.ownerKey)
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
    hook = `${doc}/webhooks/${webhookId}`
    const tables = await rest.get<{ tables: { id: string; fields: { tableRef: number } }[] }>(
      `${doc}/tables`,
    )
    const tableRef = tables.body.tables.find(({ id }) => id === 'Pets')?.fields.tableRef
    const docId = doc.split('/').pop() ?? ''
    const log = createLogger('test')
    const db = openDatabase<Tables>({ url: databaseUrl, schema: 'webhook', log })
    closer.defer(() => db.destroy())
    await db.insertInto('documents').values({ doc_id: docId, handled_seq: 1_000 }).execute()
    const refs = { id: webhookId, doc_id: docId, unsubscribe_key: webhookId, table_ref: tableRef }
    const fields = {
      url: receiver.url,
      event_types: ['add'],
      refs_seq: 0,
      after_seq: 1_000,
      secret,
    }
    await db
      .insertInto('webhooks')
      .values({ ...refs, ...fields })
      .execute()
  })
  afterAll(() => closer.close())

  const list = async (query = {}) =>
    (await rest.get<{ deliveries: Delivery[] }>(`${hook}/deliveries`, { query })).body.deliveries

  it('can be tried with a made-up one, listed, and sent again', async () => {
    const asked = await rest.post<{ deliveryId: string }>(`${hook}/test`)
    await eventually(() => receiver.deliveries.length === 1)
    const [first = nothing] = receiver.deliveries
    const deliveryId = first.headers['webhook-id']
    expect([asked.status, asked.body]).toEqual([200, { success: true, deliveryId }])
    expect(first.headers['sheaf-event']).toBe('test')
    const row = { id: 0, manualSort: null, Name: null, Age: null }
    expect(new Webhook(secret).verify(first.body, first.headers as Record<string, string>)).toEqual(
      [row],
    )
    const [delivery] = await eventually(async () => {
      const found = await list()
      return found[0]?.status === 'success' && found
    })
    expect(delivery).toEqual({
      id: first.headers['webhook-id'],
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      status: 'success',
      size: 1,
      kinds: 'test',
      attempts: 1,
      httpStatus: 200,
      durationMs: expect.any(Number),
      errorMessage: null,
      responseExcerpt: '',
      firstSeq: 0,
      lastSeq: 0,
      bodyBytes: first.body.length,
      byHand: true,
    })
    const read = await rest.get(`${hook}/deliveries/${asked.body.deliveryId}`)
    expect([read.status, read.body]).toEqual([200, delivery])
    const again = await rest.post(`${hook}/deliveries/${delivery?.id}/redeliver`)
    expect(again).toMatchObject({ status: 200, body: { success: true } })
    await eventually(() => receiver.deliveries.length === 2)
    expect(receiver.deliveries[1]?.body).toBe(first.body)
    expect(receiver.deliveries[1]?.headers['webhook-id']).toBe(delivery?.id)
    expect(await list({ before: delivery?.id })).toEqual([])
    expect(await list({ limit: 1 })).toHaveLength(1)
  })

  it('are asked for in ways that can be understood', async () => {
    for (const limit of ['0', '1001', '-1', 'x', '1.5', ''])
      expect(await rest.get(`${hook}/deliveries`, { query: { limit } })).toMatchObject({
        status: 400,
        body: { details: { reason: 'INVALID_PARAMETER' } },
      })
    const missing = { status: 404, body: { details: { reason: 'DELIVERY_NOT_FOUND' } } }
    expect(await rest.get(`${hook}/deliveries`, { query: { before: 'nope' } })).toMatchObject(
      missing,
    )
    expect(await rest.get(`${hook}/deliveries/nope`)).toMatchObject(missing)
    expect(await rest.post(`${hook}/deliveries/nope/redeliver`)).toMatchObject(missing)
    expect(await rest.post(hook.replace(webhookId, 'nope') + '/test')).toMatchObject({
      status: 404,
      body: { error: 'Webhook not found "nope"', details: { reason: 'WEBHOOK_NOT_FOUND' } },
    })
  })
})
