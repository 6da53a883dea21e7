import { createTestDatabase } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { sql } from 'kysely'
import { FakeDocument, type FakeDocuments } from './fake-documents'
import {
  createWebhook,
  listEvents,
  readHandled,
  readWebhook,
  startInstance,
  type MatchingInstance,
} from './matching-instance'
import { startMatchingWorld, type MatchingWorld } from './matching-world'

describe('matching', () => {
  let world: MatchingWorld
  let instance: MatchingInstance
  let fake: FakeDocuments
  beforeAll(async () => {
    world = await startMatchingWorld()
    ;({ instance, fake } = world)
  })
  afterAll(() => world[Symbol.asyncDispose]())
  const readsOf = (doc: FakeDocument) => fake.reads.filter(({ docId }) => docId === doc.id)

  it('queues whole rows of added rows from the message alone', async () => {
    const [doc, webhook] = await world.createWatched()
    await eventually(() => readsOf(doc).length === 1)
    const before = instance.sent()
    await world.send(doc, doc.add({ id: 1, A: 'a' }, { id: 2, A: 'b', B: 2.5 }))
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, webhook)).toEqual([
      '1 add {"id":1,"Ready":false,"A":"a","B":0}',
      '1 add {"id":2,"Ready":false,"A":"b","B":2.5}',
    ])
    expect(readsOf(doc)).toHaveLength(1)
    expect(instance.sent()).toBeGreaterThan(before)
    const { waiting_count, waiting_bytes, due_at, stopped_seq } = await readWebhook(
      instance.ctx,
      webhook,
    )
    const bytes = '{"id":1,"Ready":false,"A":"a","B":0}{"id":2,"Ready":false,"A":"b","B":2.5}'
      .length
    expect({ waiting_count, waiting_bytes, stopped_seq }).toEqual({
      waiting_count: 2,
      waiting_bytes: bytes,
      stopped_seq: null,
    })
    expect(due_at).toBeInstanceOf(Date)
  })

  it('asks the log for the rest of a row that was updated, as of that change', async () => {
    const [doc, webhook] = await world.createWatched({
      isReady: true,
      watched: ['A'],
      kinds: ['add', 'update', 'remove'],
    })
    const seqs = [
      doc.add({ id: 1, A: 'a1' }),
      doc.update([1], { B: 1 }),
      doc.update([1], { Ready: true }),
      doc.update([1], { B: 2 }),
      doc.update([1], { A: 'a2' }),
      doc.update([1], { Ready: false }),
      doc.update([1], { A: 'a3' }),
      doc.update([1], { Ready: true }),
      doc.remove(1),
    ]
    for (const seq of seqs) await world.send(doc, seq)
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, webhook)).toEqual([
      '3 add {"id":1,"Ready":true,"A":"a1","B":1}',
      '5 update {"id":1,"Ready":true,"A":"a2","B":2}',
      '8 add {"id":1,"Ready":true,"A":"a3","B":2}',
      '9 remove {"id":1,"Ready":true,"A":"a3","B":2}',
    ])
    expect(
      readsOf(doc).every(({ tableRefs, fullRows }) => fullRows && tableRefs.length === 1),
    ).toBe(true)
  })

  it('goes on with what another instance has left when a message tells of a part of it', async () => {
    const [doc] = await world.createWatched()
    await eventually(() => readsOf(doc).length === 1)
    for (let id = 1; id <= 3; id++) doc.add({ id })
    await sql`update documents set due_at = now() + interval '2 s' where doc_id = ${doc.id}`.execute(
      instance.ctx.db,
    )
    await world.send(doc, 1)
    await world.untilHandled(doc)
  })

  it('fills a gap from the log, in order, and takes what comes again or late only once', async () => {
    const [doc, webhook] = await world.createWatched()
    for (let id = 1; id <= 6; id++) doc.add({ id })
    await world.send(doc, 4, 5)
    await world.untilHandled(doc)
    for (const seqs of [[1], [2, 3], [4, 5], [6], [6]]) await world.send(doc, ...seqs)
    await world.send(doc, doc.add({ id: 7 }))
    await world.untilHandled(doc)
    const events = await listEvents(instance.ctx, webhook)
    expect(events.map((event) => event.split(' ')[0])).toEqual(['1', '2', '3', '4', '5', '6', '7'])
    expect((await readWebhook(instance.ctx, webhook)).waiting_count).toBe(7)
  })

  it('takes nothing from a message about a log that was lost, whose numbers have come again', async () => {
    const [doc, webhook] = await world.createWatched()
    const lost = new FakeDocument(doc.id)
    for (const log of [doc, lost]) log.add({ id: 1, A: 'kept' })
    await world.send(doc, 1)
    await world.untilHandled(doc)
    for (const id of [2, 3]) lost.add({ id, A: 'lost' })
    doc.add({ id: 2, A: 'new' })
    await world.send(lost, 2)
    await world.untilHandled(doc)
    const reads = readsOf(doc).length
    await world.send(lost, 3)
    await eventually(() => readsOf(doc).length > reads)
    await world.send(doc, doc.add({ id: 3, A: 'new' }))
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, webhook)).toEqual([
      '1 add {"id":1,"Ready":false,"A":"kept","B":0}',
      '2 add {"id":2,"Ready":false,"A":"new","B":0}',
      '3 add {"id":3,"Ready":false,"A":"new","B":0}',
    ])
  })

  it('takes events from the seq of each webhook on, and none for a disabled one', async () => {
    const [doc, first] = await world.createWatched()
    await world.send(doc, doc.add({ id: 1 }))
    await world.untilHandled(doc)
    doc.add({ id: 2 })
    const second = await createWebhook(instance.ctx, doc, { kinds: ['add'] })
    const disabled = await createWebhook(instance.ctx, doc, { enabled: false })
    await world.send(doc, doc.add({ id: 3 }))
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, first)).toHaveLength(3)
    expect(await listEvents(instance.ctx, second)).toEqual([
      '3 add {"id":3,"Ready":false,"A":"","B":0}',
    ])
    expect(await listEvents(instance.ctx, disabled)).toEqual([])
  })

  it('follows the removal of columns and of the table, for disabled webhooks too', async () => {
    const [doc, webhook] = await world.createWatched({ isReady: true, watched: ['A', 'B'] })
    const disabled = await createWebhook(instance.ctx, doc, { watched: ['B'], enabled: false })
    const refs = async (id: string) => {
      const { table_ref, ready_ref, watched_refs } = await readWebhook(instance.ctx, id)
      return [table_ref, ready_ref, watched_refs.map(Number)]
    }
    await world.send(doc, doc.add({ id: 1 }))
    await world.send(doc, doc.removeSchema('Ready'))
    await world.send(doc, doc.removeSchema('B'))
    await world.send(doc, doc.update([1], { A: 'now ready' }))
    await world.untilHandled(doc)
    expect(await refs(webhook)).toEqual([3, null, [12]])
    expect(await refs(disabled)).toEqual([3, null, []])
    expect(await listEvents(instance.ctx, webhook)).toHaveLength(1)
    await world.send(doc, doc.removeSchema())
    await world.untilHandled(doc)
    expect(await refs(webhook)).toEqual([null, null, []])
    expect(await refs(disabled)).toEqual([null, null, []])
    await world.send(doc, doc.add({ id: 2 }))
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, webhook)).toHaveLength(1)
  })

  it('matches a large entry piece by piece, whose rows come in parts', async () => {
    const [doc, webhook] = await world.createWatched()
    const large = 'x'.repeat(60_000)
    const rows = Array.from({ length: 150 }, (_, i) => ({ id: i + 1, A: large, B: i }))
    doc.add(...rows)
    const updated = doc.update(
      rows.map(({ id }) => id),
      { B: -1 },
    )
    doc.add({ id: 1000 })
    instance.ctx.notifier.match(doc.id)
    await world.untilHandled(doc)
    const { db } = instance.ctx
    const events = await db
      .selectFrom('events')
      .select(['seq', 'row_number', 'kind'])
      .where('webhook_id', '=', webhook)
      .orderBy('seq')
      .orderBy('row_number')
      .execute()
    expect(events.map(({ seq }) => seq)).toEqual([
      ...Array<number>(150).fill(1),
      ...Array<number>(150).fill(updated),
      3,
    ])
    expect(events.slice(0, 150).map(({ row_number }) => row_number)).toEqual(rows.map((_, i) => i))
    const { waiting_count, partial_seq } = await readWebhook(instance.ctx, webhook)
    expect(waiting_count).toBe(301)
    expect(partial_seq).toBe(updated)
  })

  it('goes on within a large entry when the middle of it failed', async () => {
    const [doc, webhook] = await world.createWatched({ kinds: ['add'] })
    await world.untilHandled(doc, 0)
    const rows = Array.from({ length: 150 }, (_, i) => ({ id: i + 1, A: 'x'.repeat(60_000) }))
    doc.add(...rows)
    // As if a crash had come after the first piece, and its events had been sent.
    const { db } = instance.ctx
    const partial = { partial_seq: 1, partial_row: 79 }
    await db.updateTable('webhooks').set(partial).where('id', '=', webhook).execute()
    instance.ctx.notifier.match(doc.id)
    await world.untilHandled(doc)
    const ids = (await listEvents(instance.ctx, webhook)).map(
      (event) => /"id":(\d+)/.exec(event)?.[1],
    )
    expect(ids).toEqual(rows.slice(80).map(({ id }) => String(id)))
  })

  it('stops a webhook whose queue is full, with what waits intact, and no other', async () => {
    await using database = await createTestDatabase()
    await using small = await startInstance(database.url, fake, { queueEvents: 3 })
    const { ctx } = small
    const doc = fake.create()
    const webhook = await createWebhook(ctx, doc)
    doc.add({ id: 1 }, { id: 2 })
    const other = await createWebhook(ctx, doc)
    doc.add({ id: 3 }, { id: 4 })
    doc.add({ id: 5 })
    ctx.notifier.match(doc.id)
    await eventually(async () => (await readHandled(ctx, doc)) === 3)
    const { status, stopped_reason, stopped_seq, last_error, waiting_count, due_at } =
      await readWebhook(ctx, webhook)
    expect({ status, stopped_reason, stopped_seq, last_error, waiting_count }).toEqual({
      status: 'error',
      stopped_reason: 'the queue is full',
      stopped_seq: 1,
      last_error: 'the queue is full',
      waiting_count: 2,
    })
    expect(due_at).toBeInstanceOf(Date)
    expect(await listEvents(ctx, webhook)).toHaveLength(2)
    expect(await listEvents(ctx, other)).toHaveLength(3)
    expect((await readWebhook(ctx, other)).stopped_seq).toBeNull()
  })

  it('counts the bytes of what waits as well', async () => {
    await using database = await createTestDatabase()
    await using small = await startInstance(database.url, fake, { queueBytes: 100 })
    const doc = fake.create()
    const webhook = await createWebhook(small.ctx, doc)
    doc.add({ id: 1 })
    doc.add({ id: 2, A: 'é'.repeat(40) })
    small.ctx.notifier.match(doc.id)
    await eventually(async () => (await readHandled(small.ctx, doc)) === 2)
    expect((await readWebhook(small.ctx, webhook)).stopped_seq).toBe(1)
    expect(await listEvents(small.ctx, webhook)).toHaveLength(1)
  })

  it('goes on behind changes that the log has lost, and says so', async () => {
    const [doc, webhook] = await world.createWatched()
    await world.untilHandled(doc, 0)
    for (let id = 1; id <= 4; id++) doc.add({ id })
    doc.cutUpTo = 2
    await world.send(doc, 4)
    await world.untilHandled(doc)
    const events = await listEvents(instance.ctx, webhook)
    expect(events.map((event) => event.split(' ')[0])).toEqual(['3', '4'])
    expect((await readWebhook(instance.ctx, webhook)).last_error).toBe(
      'changes 1 to 2 were missed: the change log no longer contains them',
    )
  })
})
