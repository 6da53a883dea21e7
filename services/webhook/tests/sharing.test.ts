import { eventually } from '@sheaf/testkit/eventually'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { sql } from 'kysely'
import { claimDue, findDue, type Lease } from '../src/db/leases'
import { takeNextAttempt } from '../src/delivery/take-next-attempt'
import { DeliveryScheduler } from '../src/delivery/delivery-scheduler'
import { numbered, numbersOf, SendingWorld } from './sending'

const patience = { timeoutMs: 60_000 }
const leaseMs = 30_000
const nobody = {
  documents: new Set<string>(),
  creators: new Set<number>(),
  networks: new Set<string>(),
}

/** Claims the only due webhook. */
async function claimOne({ db }: SendingWorld): Promise<Lease> {
  const due = await findDue(db, 'working', nobody)
  const [lease] = await claimDue(
    db,
    due.map(({ id }) => id),
    leaseMs,
  )
  if (!lease) throw new Error('nothing was due')
  return lease
}
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('deliveries', () => {
  let world: SendingWorld
  let receiver: WebhookReceiver
  beforeEach(async () => {
    world = await SendingWorld.open()
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await world[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  it('are shared by two senders, in order for each webhook and none of them twice', async () => {
    const paths = range(40).map((index) => `/hook${index}`)
    const hooks = await Promise.all(paths.map((path) => world.addWebhook(`${receiver.url}${path}`)))
    const underWay = new Set<string>()
    let overlaps = 0
    receiver.answer = async ({ path }) => {
      if (underWay.has(path)) overlaps++
      underWay.add(path)
      await new Promise((resolve) => setImmediate(resolve))
      underWay.delete(path)
      return {}
    }
    world.startSender()
    world.startSender()
    for (const round of range(5))
      await Promise.all(hooks.map(({ id }) => world.queue(id, numbered(60, round * 60))))
    await eventually(() => receiver.rows().length >= 40 * 300, patience)
    for (const path of paths) expect(numbersOf(receiver.rows(path))).toEqual(range(300))
    expect(overlaps).toBe(0)
    const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('that a sender was killed with are sent again under the same id when its lease is over', async () => {
    const { id } = await world.addWebhook(`${receiver.url}/killed`)
    await world.queue(id, numbered(3))
    // A process that dies right after it made, and perhaps sent, the delivery.
    const lease = await claimOne(world)
    const sent = await takeNextAttempt(world.db, lease, undefined, { mayContinue: true, leaseMs })
    world.startSender()
    await world.queue(id, numbered(1, 3))
    const { id: other } = await world.addWebhook(`${receiver.url}/other`)
    await world.queue(other, numbered(1))
    await eventually(() => receiver.rows('/other').length === 1)
    expect(receiver.rows('/killed')).toEqual([])

    await sql`update webhooks set lease_until = now() where id = ${id}`.execute(world.db)
    await eventually(() => receiver.rows('/killed').length === 4)
    const [first] = receiver.deliveries.filter(({ path }) => path === '/killed')
    expect(first?.headers['webhook-id']).toBe(sent?.delivery.id)
    expect(first?.body).toBe(sent?.delivery.body)
    expect(numbersOf(receiver.rows('/killed'))).toEqual([0, 1, 2, 3])
  })

  it('change nothing any more by the hand of a sender that has lost its lease', async () => {
    const { id } = await world.addWebhook(`${receiver.url}/lost`)
    await world.queue(id, numbered(1))
    const lease = await claimOne(world)
    const sent = await takeNextAttempt(world.db, lease, undefined, { mayContinue: true, leaseMs })
    if (!sent) throw new Error('nothing was made')
    await sql`update webhooks set lease_until = now() where id = ${id}`.execute(world.db)
    world.startSender()
    await eventually(() => receiver.rows('/lost').length === 1)
    await eventually(async () => expect((await world.webhook(id)).status).toBe('idle'))
    const before = await world.webhook(id)

    const outcome = { error: 'HTTP status 500', httpStatus: 500, excerpt: '', durationMs: 1 }
    const attempted = { sent, outcome, isSlow: false }
    expect(
      await takeNextAttempt(world.db, lease, attempted, { mayContinue: true, leaseMs }),
    ).toBeUndefined()
    expect(await world.webhook(id)).toEqual(before)
  })

  it('under way when a process stops are broken off, and due at once for the others', async () => {
    const { id } = await world.addWebhook(`${receiver.url}/slow`)
    receiver.answer = () => new Promise(() => {})
    const sender = world.startSender()
    await world.queue(id, numbered(1))
    await eventually(() => receiver.deliveries.length === 1)
    await sender[Symbol.asyncDispose]()
    expect(await world.webhook(id)).toMatchObject({
      lease_id: null,
      lease_until: null,
      status: 'idle',
      attempts: 0,
      waiting_count: 1,
    })
    receiver.answer = () => ({})
    world.startSender()
    await eventually(() => receiver.deliveries.length === 2)
    const [first, second] = receiver.deliveries
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
  })

  it('that just take a moment when a process stops are finished', async () => {
    const { id } = await world.addWebhook(`${receiver.url}/soon`)
    let answer: () => void = () => {}
    receiver.answer = () => new Promise((resolve) => (answer = () => resolve({})))
    const sender = world.startSender({ graceMs: 20_000 })
    await world.queue(id, numbered(150))
    await eventually(() => receiver.deliveries.length === 1)
    const stopped = sender[Symbol.asyncDispose]()
    answer()
    await stopped
    expect(receiver.deliveries).toHaveLength(1)
    expect(await world.webhook(id)).toMatchObject({ lease_id: null, waiting_count: 50 })
    expect((await world.webhook(id)).due_at).not.toBeNull()
  })

  it('to hosts that never answer delay nobody else', async () => {
    await using silent = await startReceiver({
      host: '127.0.0.2',
      answer: () => new Promise(() => {}),
    })
    const dead = await Promise.all(
      range(100).map((index) => world.addWebhook(`${silent.url}/dead${index}`)),
    )
    await Promise.all(dead.map(({ id }) => world.queue(id, numbered(1))))
    world.startSender()
    // So many as one host may keep waiting.
    await eventually(() => silent.deliveries.length === 48, patience)
    const { id } = await world.addWebhook(`${receiver.url}/alive`)
    for (const round of range(5)) {
      await world.queue(id, numbered(1, round))
      await eventually(() => receiver.rows('/alive').length === round + 1)
    }
    expect(silent.deliveries).toHaveLength(48)
  })

  it('of one fast host, however many are due, delay nobody else', async () => {
    await using fast = await startReceiver({ host: '127.0.0.2' })
    const { docId } = await world.addWebhook(`${fast.url}/first`)
    await sql`
      with added as (
        insert into webhooks (id, doc_id, unsubscribe_key, url, event_types, table_ref, refs_seq, after_seq,
          secret, waiting_count, waiting_bytes, due_at)
        select gen_random_uuid(), doc_id, unsubscribe_key, url, event_types, table_ref, refs_seq, after_seq,
          secret, 1, 7, now() - interval '1 minute'
        from webhooks, generate_series(1, 4000) where doc_id = ${docId}
        returning id
      )
      insert into events (webhook_id, seq, row_number, kind, time_ms, body)
      select id, 1, 0, 'add', 1, '{"n":0}' from added`.execute(world.db)
    const { id } = await world.addWebhook(`${receiver.url}/other`)
    await world.queue(id, numbered(1))
    world.startSender()
    await eventually(() => receiver.rows('/other').length === 1, patience)
    expect(fast.deliveries.length).toBeLessThan(1_000)
  })

  it('to webhooks that have failed take no more than their share of places', async () => {
    const hooks = await Promise.all(
      range(100).map((index) => world.addWebhook(`http://127.0.1.${index + 1}/failing`)),
    )
    await Promise.all(hooks.map(({ id }) => world.queue(id, numbered(1))))
    await sql`update webhooks set failing_since = now(), attempts = 3`.execute(world.db)
    let underWay = 0
    const post = (_post: unknown, stop?: AbortSignal) => {
      underWay++
      return new Promise<never>((_, reject) => {
        stop?.addEventListener('abort', () => reject(new Error('stopped')))
      })
    }
    await using sender = new DeliveryScheduler(world.db, { post }, world.log)
    sender.wake()
    await eventually(() => underWay === 64)
    const { id } = await world.addWebhook(`${receiver.url}/working`)
    await world.queue(id, numbered(1))
    sender.wake()
    await eventually(() => underWay === 65)
  })
})
