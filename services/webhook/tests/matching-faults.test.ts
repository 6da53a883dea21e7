import { startEngines } from '@sheaf/engines/engines'
import { AppError } from '@sheaf/kit/errors'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { sql } from 'kysely'
import { deleteDocument } from '../src/db/documents'
import { readConsumerName } from '../src/db/progress'
import type { FakeDocuments } from './fake-documents'
import {
  createWebhook,
  ensureStream,
  listEvents,
  publish,
  readHandled,
  readWebhook,
  startInstance,
  type MatchingInstance,
} from './matching-instance'
import { startMatchingWorld, type MatchingWorld } from './matching-world'

/** A NATS of its own: the stream of the shared one belongs to other tests as well. */
function startOwnNats(dataDir: string) {
  const { databaseUrl } = testEngines()
  return startEngines({ dataDir, databaseUrl, path: process.env.PATH, log: () => {} })
}

describe('matching, when something fails', () => {
  let world: MatchingWorld
  let instance: MatchingInstance
  let fake: FakeDocuments
  beforeAll(async () => {
    world = await startMatchingWorld()
    ;({ instance, fake } = world)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it('tries a document that fails again, later and later, while others go on', async () => {
    const [poisoned, webhook] = await world.createWatched()
    const [doc, other] = await world.createWatched()
    await world.untilHandled(poisoned, 0)
    poisoned.error = new AppError('unavailable', 'HOME_UNAVAILABLE', 'not now')
    poisoned.add({ id: 1 })
    await world.send(poisoned, poisoned.update([1], { A: 'a' }))
    const { db } = instance.ctx
    const failures = async () =>
      (
        await db
          .selectFrom('documents')
          .select('failures')
          .where('doc_id', '=', poisoned.id)
          .executeTakeFirstOrThrow()
      ).failures
    await eventually(failures)
    for (let i = 0; i < 20; i++) await world.send(poisoned, poisoned.update([1], { B: i }))
    await world.send(doc, doc.add({ id: 1 }))
    await world.untilHandled(doc)
    expect(await listEvents(instance.ctx, other)).toHaveLength(1)
    // What came meanwhile has waited with it.
    expect(await failures()).toBeLessThan(8)
    poisoned.error = undefined
    await world.untilHandled(poisoned)
    expect(await listEvents(instance.ctx, webhook)).toHaveLength(21)
    expect(await failures()).toBe(0)
  })

  it('stays alive when a message or an entry is nonsense', async () => {
    const [doc, webhook] = await world.createWatched()
    doc.add({ id: 1 })
    await jetstream(world.nats).publish(`sheaf.changes.${doc.id}`, Buffer.from([255, 255, 255]))
    await jetstream(world.nats).publish('sheaf.changes.nobody', Buffer.from('nonsense'))
    await world.untilHandled(doc)
    const value = { tableId: 'Table1', tableRef: 3, rowIds: [9], columns: [] }
    const column = {
      colId: 'A',
      colRef: 12,
      oldValuesJson: Buffer.alloc(0),
      newValuesJson: Buffer.from('[1,2]'),
    }
    const bad = { operation: { $case: 'addRows' as const, value: { ...value, columns: [column] } } }
    await world.send(doc, doc.append([bad]))
    const { db } = instance.ctx
    await eventually(async () => {
      const row = db.selectFrom('documents').select('failures').where('doc_id', '=', doc.id)
      return (await row.executeTakeFirstOrThrow()).failures
    })
    const [healthy, other] = await world.createWatched()
    await world.send(healthy, healthy.add({ id: 1 }))
    await world.untilHandled(healthy)
    expect(await listEvents(instance.ctx, other)).toHaveLength(1)
    expect(await listEvents(instance.ctx, webhook)).toHaveLength(1)
  })

  it('forgets a document that is deleted while its changes are read', async () => {
    const [doc, webhook] = await world.createWatched()
    await world.untilHandled(doc, 0)
    doc.add({ id: 1 })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const reading = new Promise<void>((resolve) => {
      fake.onRead = (docId) => {
        if (docId !== doc.id) return Promise.resolve()
        resolve()
        return held
      }
    })
    await world.send(doc, doc.update([1], { A: 'late' }))
    await reading
    const { db } = instance.ctx
    await db.deleteFrom('documents').where('doc_id', '=', doc.id).execute()
    await deleteDocument(db, doc.id)
    release()
    fake.onRead = async () => {}
    const [next] = await world.createWatched()
    await world.send(next, next.add({ id: 1 }))
    await world.untilHandled(next)
    expect(await readHandled(instance.ctx, doc)).toBe(-1)
    expect(await listEvents(instance.ctx, webhook)).toEqual([])
    await world.send(doc, doc.add({ id: 2 }))
  })

  it.each([
    ['nothing more', 0],
    ['more', 1],
  ])('keeps what is noted while it reads a log that holds %s', async (_, entries) => {
    const doc = fake.create()
    await createWebhook(instance.ctx, doc)
    for (let id = 1; id <= entries; id++) doc.add({ id })
    const { db } = instance.ctx
    const ofDocument = sql`where doc_id = ${doc.id}`
    fake.onRead = async (docId) => {
      if (docId !== doc.id) return
      const later = sql`due_at = now() + interval '1 hour', checked_at = now() - interval '5 min'`
      await sql`update documents set ${later} ${ofDocument}`.execute(db)
    }
    await sql`update documents set checked_at = now() - interval '5 min' ${ofDocument}`.execute(db)
    instance.ctx.notifier.match(doc.id)
    type Row = { due: boolean; checked: boolean }
    const read = () =>
      sql<Row>`select due_at > now() + interval '30 min' as due, checked_at > now() - interval '4 min' as checked
        from documents ${ofDocument}`.execute(db)
    await eventually(async () => (await read()).rows[0]?.checked)
    expect((await read()).rows).toEqual([{ due: true, checked: true }])
    expect(await readHandled(instance.ctx, doc)).toBe(entries)
    fake.onRead = async () => {}
  })

  it('finds what was written while another instance made the first webhook of a document', async () => {
    const doc = fake.create()
    // Made elsewhere: nobody tells this instance, which passes over the change.
    const webhook = await createWebhook(instance.ctx, doc)
    await world.send(doc, doc.add({ id: 1 }))
    await eventually(async () => (await listEvents(instance.ctx, webhook)).length === 1)
  })

  it('shares the work among instances, each event once and in order', async () => {
    await using second = await startInstance(world.url, fake)
    const watched = await Promise.all(Array.from({ length: 4 }, () => world.createWatched()))
    for (const [doc] of watched) second.ctx.notifier.match(doc.id)
    for (let round = 0; round < 15; round++)
      await Promise.all(
        watched.map(async ([doc]) => {
          await world.send(doc, doc.add({ id: round + 1 }))
          await world.send(doc, doc.update([round + 1], { A: 'a' }))
        }),
      )
    for (const [doc, webhook] of watched) {
      await world.untilHandled(doc)
      const events = await listEvents(instance.ctx, webhook)
      expect(events.map((event) => Number(event.split(' ')[0]))).toEqual(
        Array.from({ length: 30 }, (_, i) => i + 1),
      )
      expect((await readWebhook(instance.ctx, webhook)).waiting_count).toBe(30)
    }
  })

  it('makes its consumer again when somebody deleted it, and misses nothing', async () => {
    const [doc, webhook] = await world.createWatched()
    await world.untilHandled(doc, 0)
    const { consumers } = await jetstreamManager(world.nats)
    await consumers.delete('SHEAF_CHANGES', await readConsumerName(instance.ctx.db))
    await world.send(doc, doc.add({ id: 1 }))
    await eventually(async () => (await listEvents(instance.ctx, webhook)).length === 1)
    await eventually(async () => {
      await world.send(doc, doc.add({ id: doc.latestSeq + 1 }))
      await world.untilHandled(doc)
    })
  })

  it('handles what was written while it was away', async () => {
    const [doc, webhook] = await world.createWatched()
    await world.untilHandled(doc, 0)
    await using database = await createTestDatabase()
    {
      await using away = await startInstance(database.url, fake, {
        natsUrl: 'nats://127.0.0.1:1',
        waits: false,
      })
      expect(away.isConnected()).toBe(false)
      const own = await createWebhook(away.ctx, doc)
      away.ctx.notifier.match(doc.id)
      doc.add({ id: 1 })
      away.ctx.notifier.match(doc.id)
      // Without NATS the log is looked at all the same.
      await eventually(async () => (await listEvents(away.ctx, own)).length === 1)
    }
    doc.add({ id: 2 })
    await using back = await startInstance(database.url, fake)
    expect(back.isConnected()).toBe(true)
    await eventually(async () => (await readHandled(back.ctx, doc)) === 2)
    expect(await listEvents(instance.ctx, webhook)).toEqual([])
  })

  it('waits for NATS and its stream, and finds what went with a stream that was lost', async () => {
    await using folder = await tempDir()
    await using database = await createTestDatabase()
    await using engines = await startOwnNats(folder.path)
    const { natsUrl } = engines
    await using own = await startInstance(database.url, fake, { natsUrl, waits: false })
    await eventually(() => own.isConnected())
    const doc = fake.create()
    const webhook = await createWebhook(own.ctx, doc)
    own.ctx.notifier.match(doc.id)
    const ownNats = await connectNats({ url: natsUrl, name: 'test', log: createLogger('test') })
    const seqs = async () =>
      (await listEvents(own.ctx, webhook)).map((event) => Number(event.split(' ')[0]))
    try {
      await ensureStream(ownNats)
      await publish(ownNats, doc, doc.add({ id: 1 }))
      await eventually(async () => (await seqs()).length === 1)
      await (await jetstreamManager(ownNats)).streams.delete('SHEAF_CHANGES')
      doc.add({ id: 2 })
      await ensureStream(ownNats)
      await eventually(async () => (await seqs()).length === 2)
      await publish(ownNats, doc, doc.add({ id: 3 }))
      await eventually(async () => (await seqs()).length === 3)
      expect(await seqs()).toEqual([1, 2, 3])
    } finally {
      await ownNats.close()
    }
  })

  it('hears of changes again as soon as a NATS that was killed is back', async () => {
    await using folder = await tempDir()
    await using database = await createTestDatabase()
    await using engines = await startOwnNats(folder.path)
    const { natsUrl } = engines
    const ownNats = await connectNats({ url: natsUrl, name: 'test', log: createLogger('test') })
    try {
      await ensureStream(ownNats)
      await using own = await startInstance(database.url, fake, { natsUrl })
      const doc = fake.create()
      await createWebhook(own.ctx, doc)
      own.ctx.notifier.match(doc.id)
      process.kill(engines.pids.nats ?? 0, 'SIGKILL')
      await eventually(() => !own.isConnected())
      await eventually(() => own.isConnected())
      const seq = doc.add({ id: 1 })
      await eventually(() => publish(ownNats, doc, seq))
      // Sooner than the next pull of messages, which would receive it too.
      await eventually(async () => (await readHandled(own.ctx, doc)) === seq, { timeoutMs: 9_000 })
    } finally {
      await ownNats.close()
    }
  })
})
