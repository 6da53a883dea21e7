import { eventually } from '@sheaf/testkit/eventually'
import { sql } from 'kysely'
import { lockDocument } from '../src/db/documents'
import { columnRefs, TABLE } from './fake-documents'
import { createWebhook, listEvents, readWebhook, type MatchingInstance } from './matching-instance'
import { startMatchingWorld, type MatchingWorld } from './matching-world'

describe('what a webhook refers to', () => {
  let world: MatchingWorld
  let instance: MatchingInstance
  beforeAll(async () => {
    world = await startMatchingWorld()
    ;({ instance } = world)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const readRefs = async (webhook: string) => {
    const { table_ref, ready_ref } = await readWebhook(instance.ctx, webhook)
    return [table_ref, ready_ref]
  }

  it('is gone when it was removed, and that matched, between the look at the tables and the creation', async () => {
    const [doc, other] = await world.createWatched()
    await world.send(doc, doc.add({ id: 1 }), doc.removeSchema('Ready'))
    await world.untilHandled(doc)
    const webhook = await createWebhook(instance.ctx, doc, { isReady: true, seq: 0 })
    instance.ctx.notifier.match(doc.id)
    await eventually(async () => (await readWebhook(instance.ctx, webhook)).ready_ref === null)
    await world.send(doc, doc.add({ id: 2 }))
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, webhook)).toHaveLength(1)
    const seqs = (await listEvents(instance.ctx, other)).map((event) => event.split(' ')[0])
    expect(seqs).toEqual(['1', '3'])
    expect((await readWebhook(instance.ctx, other)).waiting_count).toBe(2)
  })

  it('stays when it was removed and brought back before it was looked up, though that is matched later', async () => {
    const [doc, other] = await world.createWatched()
    await world.untilHandled(doc, 0)
    doc.removeSchema()
    doc.append([])
    const webhook = await createWebhook(instance.ctx, doc, { isReady: true })
    instance.ctx.notifier.match(doc.id)
    await world.untilHandled(doc)
    expect(await readRefs(webhook)).toEqual([TABLE, columnRefs.Ready])
    expect(await readRefs(other)).toEqual([null, null])
    await world.send(doc, doc.add({ id: 1, Ready: true }))
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, webhook)).toHaveLength(1)
  })

  it('is gone when it is removed while a webhook comes to refer to it', async () => {
    const [doc, webhook] = await world.createWatched()
    await world.untilHandled(doc, 0)
    const { db } = instance.ctx
    const change = (trx: typeof db, set: { table_ref: number; ready_ref: number | null }) =>
      trx.updateTable('webhooks').set(set).where('id', '=', webhook).execute()
    await change(db, { table_ref: 99, ready_ref: null })
    const seq = doc.removeSchema('Ready')
    await db.transaction().execute(async (trx) => {
      await lockDocument(trx, doc.id)
      await world.send(doc, seq)
      const waits = sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      await eventually(async () => (await waits.execute(db)).rows.length > 0)
      await change(trx, { table_ref: TABLE, ready_ref: columnRefs.Ready })
    })
    await world.untilHandled(doc)
    expect(await readRefs(webhook)).toEqual([TABLE, null])
  })
})
