import { randomUUID } from 'node:crypto'
import { Closer } from '@sheaf/kit/lifecycle'
import { openChannel } from '@sheaf/kit/grpc/client'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { DeliveriesServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import { replay } from '../src/changes/replay'
import { startWebhook } from '../src/service'
import { FakeDocuments, type FakeDocument } from './fake-documents'
import {
  createWebhook,
  ensureStream,
  listEvents,
  readHandled,
  readWebhook,
  startInstance,
  type MatchingInstance,
} from './matching-instance'
import { webhookConfig } from './webhook-config'

describe('a replay', () => {
  const closer = new Closer()
  let url: string
  let fake: FakeDocuments
  let instance: MatchingInstance
  beforeAll(async () => {
    ;({ url } = closer.use(await createTestDatabase()))
    const log = createLogger('test')
    const nats = await connectNats({ url: testEngines().natsUrl, name: 'test', log })
    await ensureStream(nats)
    await nats.close()
    fake = closer.use(await FakeDocuments.start())
    instance = closer.use(await startInstance(url, fake, { queueEvents: 6 }))
  })
  afterAll(() => closer.close())

  const handle = async (doc: FakeDocument) => {
    instance.ctx.notifier.match(doc.id)
    await eventually(async () => (await readHandled(instance.ctx, doc)) === doc.latestSeq)
  }
  /** What a sender does with what waits. */
  const take = async (id: string) => {
    const { db } = instance.ctx
    await db.deleteFrom('events').where('webhook_id', '=', id).execute()
    const figures = { waiting_count: 0, waiting_bytes: 0, due_at: null }
    await db.updateTable('webhooks').set(figures).where('id', '=', id).execute()
  }
  const run = (doc: FakeDocument, webhookId: string, from: Parameters<typeof replay>[2]) =>
    replay(instance.ctx, { docId: doc.id, webhookId }, from, new AbortController().signal)
  const seqsOf = async (id: string) =>
    (await listEvents(instance.ctx, id)).map((event) => Number(event.split(' ')[0]))

  it('queues what fired after a seq or since a time, once, also from before the webhook', async () => {
    const doc = fake.create()
    for (let id = 1; id <= 3; id++) doc.add({ id })
    const webhook = await createWebhook(instance.ctx, doc)
    doc.update([1], { A: 'a' })
    await handle(doc)
    await take(webhook)
    expect(await run(doc, webhook, { afterSeq: 2 })).toEqual({ queued: 2 })
    expect(await listEvents(instance.ctx, webhook)).toEqual([
      '3 add {"id":3,"Ready":false,"A":"","B":0}',
      '4 update {"id":1,"Ready":false,"A":"a","B":0}',
    ])
    expect(await run(doc, webhook, { afterSeq: 1 })).toEqual({ queued: 1 })
    const { waiting_count, due_at } = await readWebhook(instance.ctx, webhook)
    expect(waiting_count).toBe(3)
    expect(due_at).toBeInstanceOf(Date)
    const timeOf = (seq: number) => doc.entries[seq - 1]?.sent.timeMs ?? NaN
    for (const [sinceMs, seqs] of [
      [timeOf(3), [3, 4]],
      [timeOf(3) - 1, [3, 4]],
      [timeOf(2) + 1, [3, 4]],
      [0, [1, 2, 3, 4]],
      [timeOf(4) + 1, []],
    ] as const) {
      await take(webhook)
      expect(await run(doc, webhook, { sinceMs })).toEqual({ queued: seqs.length })
      expect(await seqsOf(webhook)).toEqual(seqs)
    }
  })

  it('brings a webhook that was stopped up to date, as far as its queue has room each time', async () => {
    const doc = fake.create()
    const webhook = await createWebhook(instance.ctx, doc)
    for (let id = 1; id <= 15; id++) doc.add({ id })
    await handle(doc)
    expect(await seqsOf(webhook)).toEqual([1, 2, 3, 4, 5, 6])
    expect((await readWebhook(instance.ctx, webhook)).stopped_seq).toBe(6)
    await expect(run(doc, webhook, { afterSeq: 6 })).rejects.toMatchObject({ reason: 'QUEUE_FULL' })

    await take(webhook)
    expect(await run(doc, webhook, { afterSeq: 6 })).toEqual({ queued: 6, nextSeq: 12 })
    expect(await readWebhook(instance.ctx, webhook)).toMatchObject({
      stopped_seq: 12,
      status: 'error',
    })
    await take(webhook)
    // What is left out stays missing, and it stays stopped.
    expect(await run(doc, webhook, { afterSeq: 14 })).toEqual({ queued: 1 })
    expect((await readWebhook(instance.ctx, webhook)).stopped_seq).toBe(12)
    expect(await run(doc, webhook, { afterSeq: 12 })).toEqual({ queued: 2 })
    expect(await readWebhook(instance.ctx, webhook)).toMatchObject({
      stopped_seq: null,
      stopped_reason: null,
      status: 'idle',
    })
    expect(await seqsOf(webhook)).toEqual([13, 14, 15])
    doc.add({ id: 16 })
    await handle(doc)
    expect(await seqsOf(webhook)).toEqual([13, 14, 15, 16])
  })

  it('refuses what the log does not tell any more', async () => {
    const doc = fake.create()
    for (let id = 1; id <= 4; id++) doc.add({ id })
    const webhook = await createWebhook(instance.ctx, doc)
    doc.cutUpTo = 2
    for (const from of [{ afterSeq: 1 }, { sinceMs: 1 }])
      await expect(run(doc, webhook, from)).rejects.toMatchObject({
        code: 'conflict',
        reason: 'REPLAY_TOO_FAR_BACK',
      })
    expect(await run(doc, webhook, { afterSeq: 2 })).toEqual({ queued: 2 })
    await take(webhook)
    const sinceMs = doc.entries[3]?.sent.timeMs ?? NaN
    expect(await run(doc, webhook, { sinceMs })).toEqual({ queued: 1 })
  })

  it('is for a webhook that is enabled and has its table', async () => {
    const doc = fake.create()
    doc.add({ id: 1 })
    const disabled = await createWebhook(instance.ctx, doc, { enabled: false })
    const webhook = await createWebhook(instance.ctx, doc)
    await expect(run(doc, disabled, { afterSeq: 0 })).rejects.toMatchObject({
      code: 'conflict',
      reason: 'WEBHOOK_DISABLED',
    })
    await expect(run(doc, 'nobody', { afterSeq: 0 })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'WEBHOOK_NOT_FOUND',
    })
    const { db } = instance.ctx
    await db.updateTable('webhooks').set({ table_ref: null }).where('id', '=', webhook).execute()
    expect(await run(doc, webhook, { afterSeq: 0 })).toEqual({ queued: 0 })
  })

  describe('over gRPC', () => {
    let authority: TokenAuthority
    let deliveries: DeliveriesServiceClientImpl
    beforeAll(async () => {
      authority = await createTokenAuthority()
      const overrides = { verifier: authority.verifier, documentCalls: fake.documentCalls }
      const webhook = closer.use(await startWebhook(webhookConfig(url), overrides))
      const channel = closer.use(openChannel({ address: webhook.address }))
      deliveries = new DeliveriesServiceClientImpl(channel)
      await eventually(() => channel.checkHealth('nats'))
    })

    it('is for owners, and says which field is wrong', async () => {
      const doc = fake.create()
      doc.add({ id: 1 })
      const webhookId = await createWebhook(instance.ctx, doc, { enabled: false })
      const as = async (role: 'owners' | 'editors') => ({
        token: await authority.sign({ docId: doc.id, role }),
      })
      const request = { docId: doc.id, webhookId }
      const from = { $case: 'afterSeq' as const, value: 0 }
      await expect(
        deliveries.replayDeliveries({ ...request, from }, await as('editors')),
      ).rejects.toMatchObject({ reason: 'ACCESS_DENIED' })
      const bad = [undefined, { ...from, value: -1 }, { $case: 'sinceMs' as const, value: -1 }]
      for (const wrong of bad)
        await expect(
          deliveries.replayDeliveries({ ...request, from: wrong }, await as('owners')),
        ).rejects.toMatchObject({ reason: 'BAD_FIELD' })
      await expect(
        deliveries.replayDeliveries({ ...request, from }, await as('owners')),
      ).rejects.toMatchObject({ reason: 'WEBHOOK_DISABLED' })
      const unknown = { ...request, webhookId: randomUUID(), from }
      await expect(deliveries.replayDeliveries(unknown, await as('owners'))).rejects.toMatchObject({
        reason: 'WEBHOOK_NOT_FOUND',
      })
    })

    it('answers how much it has queued', async () => {
      const doc = fake.create()
      for (let id = 1; id <= 3; id++) doc.add({ id })
      const webhookId = await createWebhook(instance.ctx, doc)
      const token = await authority.sign({ docId: doc.id, role: 'owners' })
      const request = { docId: doc.id, webhookId, from: { $case: 'afterSeq' as const, value: 1 } }
      const { queued, nextSeq } = await deliveries.replayDeliveries(request, { token })
      expect({ queued, nextSeq }).toEqual({ queued: 2, nextSeq: undefined })
    })
  })
})
