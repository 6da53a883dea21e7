import { randomUUID } from 'node:crypto'
import { openChannel } from '@sheaf/kit/grpc/client'
import { Closer } from '@sheaf/kit/lifecycle'
import { DeliveriesServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import { eventually } from '@sheaf/testkit/eventually'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { sql } from 'kysely'
import type { DocumentClients, DocumentCalls } from '../src/document-calls'
import { startWebhook } from '../src/service'
import { numbered, SendingWorld } from './sending'
import { webhookConfig } from './webhook-config'

/** A document-data whose every document has one table. */
const documentCalls: Pick<DocumentCalls, 'run'> = {
  run: (_docId, run) => {
    const columns = [{ id: 'manualSort' }, { id: 'A' }, { id: 'B' }]
    const listTables = () => Promise.resolve({ tables: [{ tableRef: 1, id: 'Pets', columns }] })
    return run({ tables: { listTables } } as unknown as DocumentClients, { token: '' })
  },
}

describe('the log of deliveries', () => {
  const closer = new Closer()
  let world: SendingWorld
  let receiver: WebhookReceiver
  let authority: TokenAuthority
  let deliveries: DeliveriesServiceClientImpl
  beforeAll(async () => {
    world = closer.use(await SendingWorld.open())
    receiver = closer.use(await startReceiver())
    authority = await createTokenAuthority()
    const config = { ...webhookConfig(world.url), allowedHosts: ['127.0.0.1'] }
    const webhook = closer.use(await startWebhook(config, { ...authority, documentCalls }))
    deliveries = new DeliveriesServiceClientImpl(
      closer.use(openChannel({ address: webhook.address })),
    )
  })
  afterAll(() => closer.close())
  beforeEach(() => {
    receiver.answer = () => ({ body: 'thanks' })
  })

  const asOwner = async (docId: string) => ({
    token: await authority.sign({ docId, role: 'owners' }),
  })
  const list = async (
    { id, docId }: { id: string; docId: string },
    { limit = 0, beforeId = '' } = {},
  ) => {
    const request = { docId, webhookId: id, limit, beforeId }
    return (await deliveries.listDeliveries(request, await asOwner(docId))).deliveries
  }
  const addWebhook = () => world.addWebhook(`${receiver.url}/${randomUUID()}`)
  const at = async ({ id }: { id: string }) => {
    const { url } = await world.webhook(id)
    return receiver.deliveries.filter(({ path }) => url.endsWith(path))
  }
  const deliver = async (hook: { id: string; docId: string }, count = 1) => {
    await world.queue(hook.id, numbered(count))
    await eventually(async () => (await world.webhook(hook.id)).waiting_count === 0)
  }

  it('shows the newest first, page by page', async () => {
    const hook = await addWebhook()
    await deliver(hook, 250)
    const all = await list(hook)
    expect(all.map(({ size }) => size)).toEqual([50, 100, 100])
    const [newest, middle] = all
    expect(newest).toMatchObject({
      attempts: 1,
      httpStatus: 200,
      status: 'success',
      responseExcerpt: 'thanks',
      errorMessage: undefined,
      kinds: 'add',
      byHand: false,
    })
    expect(newest?.firstSeq).toBe(newest?.lastSeq)
    expect(Date.parse(newest?.time ?? '')).not.toBeNaN()
    const received = await at(hook)
    expect(newest?.bodyBytes).toBe(received[2]?.body.length)
    expect(await list(hook, { limit: 1 })).toEqual(all.slice(0, 1))
    expect(await list(hook, { beforeId: newest?.id })).toEqual(all.slice(1))
    expect(await list(hook, { limit: 1, beforeId: middle?.id })).toEqual(all.slice(2))
  })

  it('shows what failed while it is tried again', async () => {
    const hook = await addWebhook()
    receiver.answer = () => ({ status: 500, body: 'no' })
    await world.queue(hook.id, numbered(1))
    await eventually(async () => {
      expect(await list(hook)).toMatchObject([
        {
          status: 'waiting',
          attempts: 1,
          httpStatus: 500,
          errorMessage: 'HTTP status 500',
          responseExcerpt: 'no',
        },
      ])
    })
  })

  it('sends a delivery again as it was, ahead of what waits, when its owner asks for it', async () => {
    const hook = await addWebhook()
    await deliver(hook, 2)
    const [delivery] = await list(hook)
    const request = { docId: hook.docId, webhookId: hook.id, deliveryId: delivery?.id ?? '' }

    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } })
    await world.queue(hook.id, numbered(1, 9))
    await eventually(async () => expect((await world.webhook(hook.id)).status).toBe('postponed'))
    // A failure of what was asked for by hand changes nothing of what waits.
    const failing = await world.webhook(hook.id)
    await deliveries.redeliver(request, await asOwner(hook.docId))
    await eventually(async () => expect((await list(hook))[1]?.status).toBe('failed'))
    await eventually(async () => expect((await world.webhook(hook.id)).lease_id).toBeNull())
    const { retry_at, attempts, failing_since, waiting_count } = failing
    expect(await world.webhook(hook.id)).toMatchObject({
      ...{ retry_at, attempts, failing_since, waiting_count },
      status: 'postponed',
      due_at: retry_at,
    })

    // Its success tells that the receiver is back, so what waits follows at once.
    receiver.answer = () => ({})
    await deliveries.redeliver(request, await asOwner(hook.docId))
    await eventually(async () => expect((await world.webhook(hook.id)).waiting_count).toBe(0))
    const bodies = (await at(hook)).map(({ body }) => body)
    const [first, next] = ['[{"n":0},{"n":1}]', '[{"n":9}]']
    expect(bodies).toEqual([first, next, first, first, next])
    const ids = (await at(hook)).map(({ headers }) => headers['webhook-id'])
    expect([ids[2], ids[3]]).toEqual([ids[0], ids[0]])
    expect(await list(hook)).toMatchObject([
      { status: 'success', attempts: 2, byHand: false },
      { status: 'success', attempts: 3, byHand: true },
    ])
  })

  it('sends a test event with the columns of the table, also of a webhook that is disabled', async () => {
    const hook = await addWebhook()
    await sql`update webhooks set enabled = false where id = ${hook.id}`.execute(world.db)
    const request = { docId: hook.docId, webhookId: hook.id }
    await deliveries.sendTestEvent(request, await asOwner(hook.docId))
    await eventually(async () => (await at(hook)).length === 1)
    const [delivery] = await at(hook)
    expect(delivery?.headers['sheaf-event']).toBe('test')
    expect(JSON.parse(delivery?.body ?? '')).toEqual([
      { id: 0, manualSort: null, A: null, B: null },
    ])
    await eventually(async () => {
      expect(await list(hook)).toMatchObject([
        { status: 'success', size: 1, kinds: 'test', byHand: true, firstSeq: 0, lastSeq: 0 },
      ])
    })
  })

  it('tries a test event once', async () => {
    const hook = await addWebhook()
    receiver.answer = () => ({ status: 500 })
    const request = { docId: hook.docId, webhookId: hook.id }
    const call = await asOwner(hook.docId)
    const { deliveryId } = await deliveries.sendTestEvent(request, call)
    await eventually(async () => {
      const { delivery } = await deliveries.getDelivery({ ...request, deliveryId }, call)
      expect(delivery).toMatchObject({ id: deliveryId, status: 'failed', httpStatus: 500 })
      expect([delivery]).toEqual(await list(hook))
    })
    await eventually(async () => {
      expect(await world.webhook(hook.id)).toMatchObject({
        status: 'idle',
        due_at: null,
        attempts: 0,
        failing_since: null,
        waiting_count: 0,
        last_http_status: 500,
        last_batch: { status: 'failure' },
      })
    })
  })

  it('sends nothing again that waits, or whose body is gone', async () => {
    const hook = await addWebhook()
    receiver.answer = () => ({ status: 500 })
    await world.queue(hook.id, numbered(1))
    await eventually(async () => expect(await list(hook)).toHaveLength(1))
    const [delivery] = await list(hook)
    const request = { docId: hook.docId, webhookId: hook.id, deliveryId: delivery?.id ?? '' }
    const call = await asOwner(hook.docId)
    await expect(deliveries.redeliver(request, call)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'DELIVERY_WAITING',
    })
    await sql`update deliveries set state = 'failed', body = null where id = ${request.deliveryId}`.execute(
      world.db,
    )
    await expect(deliveries.redeliver(request, call)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'DELIVERY_NOT_KEPT',
    })
  })

  it('takes only so much by hand at once', async () => {
    const hook = await addWebhook()
    await sql`insert into deliveries (id, webhook_id, size, body, body_bytes, by_hand)
      select 'hand' || n, ${hook.id}, 1, '[]', 2, true from generate_series(1, 100) n`.execute(
      world.db,
    )
    const request = { docId: hook.docId, webhookId: hook.id }
    await expect(
      deliveries.sendTestEvent(request, await asOwner(hook.docId)),
    ).rejects.toMatchObject({ code: 'too_many', reason: 'TOO_MANY_DELIVERIES' })
  })

  it('is for owners, of their own document and webhook', async () => {
    const hook = await addWebhook()
    const other = await addWebhook()
    await deliver(hook)
    const [delivery] = await list(hook)
    const of = (webhookId: string, deliveryId = delivery?.id ?? '') => ({
      docId: hook.docId,
      webhookId,
      deliveryId,
      limit: 0,
      beforeId: '',
    })
    const asEditor = { token: await authority.sign({ docId: hook.docId, role: 'editors' }) }
    const asOther = await asOwner(other.docId)
    for (const call of [asEditor, asOther]) {
      const refusal = { code: 'forbidden', reason: 'ACCESS_DENIED' }
      await expect(deliveries.listDeliveries(of(hook.id), call)).rejects.toMatchObject(refusal)
      await expect(deliveries.getDelivery(of(hook.id), call)).rejects.toMatchObject(refusal)
      await expect(deliveries.redeliver(of(hook.id), call)).rejects.toMatchObject(refusal)
      await expect(deliveries.sendTestEvent(of(hook.id), call)).rejects.toMatchObject(refusal)
    }
    const call = await asOwner(hook.docId)
    for (const webhookId of [
      other.id,
      hook.id.toUpperCase(),
      randomUUID(),
      'nope',
      '',
      "'; drop table webhooks",
    ]) {
      const missing = { reason: 'WEBHOOK_NOT_FOUND' }
      await expect(deliveries.listDeliveries(of(webhookId), call)).rejects.toMatchObject(missing)
      await expect(deliveries.getDelivery(of(webhookId), call)).rejects.toMatchObject(missing)
      await expect(deliveries.redeliver(of(webhookId), call)).rejects.toMatchObject(missing)
      await expect(deliveries.sendTestEvent(of(webhookId), call)).rejects.toMatchObject(missing)
    }
    for (const deliveryId of ['msg_nope', '', 'a\0b']) {
      const missing = { reason: 'DELIVERY_NOT_FOUND' }
      const request = of(hook.id, deliveryId)
      await expect(deliveries.getDelivery(request, call)).rejects.toMatchObject(missing)
      await expect(deliveries.redeliver(request, call)).rejects.toMatchObject(missing)
    }
    for (const limit of [-1, 1_001])
      await expect(
        deliveries.listDeliveries({ ...of(hook.id), limit }, call),
      ).rejects.toMatchObject({ reason: 'BAD_FIELD' })
  })
})
