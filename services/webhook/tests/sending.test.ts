import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { eventually } from '@sheaf/testkit/eventually'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { numbered, numbersOf, SendingWorld } from './sending'

describe('sending', () => {
  let world: SendingWorld
  let receiver: WebhookReceiver
  beforeAll(async () => {
    world = await SendingWorld.open()
    receiver = await startReceiver()
    world.startSender()
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  const at = (path: string) => `${receiver.url}${path}`
  const received = (path: string) =>
    receiver.deliveries.filter((delivery) => delivery.path === path)
  const isIdle = async (id: string) => {
    expect(await world.webhook(id)).toMatchObject({ lease_id: null, due_at: null })
  }
  const answerAt = (path: string, answer: WebhookReceiver['answer']) => {
    const before = receiver.answer
    receiver.answer = (delivery) => (delivery.path === path ? answer(delivery) : before(delivery))
  }

  it('posts rows as a JSON array, signed so that others verify it', async () => {
    const { id, secret } = await world.addWebhook(at('/signed'), { authorization: 'Basic xyz' })
    const row = { id: 1, manualSort: 1, A: 'Zoë 🐑', B: null, C: ['L', 'x'] }
    await world.queue(id, [{ row }, { row: { id: 2 }, kind: 'update' }])
    await eventually(() => received('/signed').length > 0)
    const [delivery] = received('/signed')
    expect(delivery?.body).toBe(JSON.stringify([row, { id: 2 }]))
    expect(delivery?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Sheaf-Webhooks/1.0',
      authorization: 'Basic xyz',
      'sheaf-event': 'add,update',
    })
    expect(delivery?.headers).not.toHaveProperty('traceparent')
    const verified = new Webhook(secret).verify(
      delivery?.body ?? '',
      delivery?.headers as Record<string, string>,
    )
    expect(verified).toEqual([row, { id: 2 }])
    await eventually(() => isIdle(id))
    expect(await world.webhook(id)).toMatchObject({
      status: 'idle',
      waiting_count: 0,
      waiting_bytes: 0,
      attempts: 0,
      last_http_status: 200,
      last_error: null,
      last_failure_at: null,
      last_success_at: expect.any(Date),
      last_batch: { status: 'success', httpStatus: 200, errorMessage: null, size: 2, attempts: 1 },
    })
    expect(await world.deliveries(id)).toMatchObject([
      { id: delivery?.headers['webhook-id'], state: 'success', size: 2, http_status: 200 },
    ])
  })

  it('signs with both secrets while one replaces the other, and with one when the time is over', async () => {
    const { id, secret } = await world.addWebhook(at('/rotated'))
    const { secret: previous } = await world.addWebhook(at('/other'))
    await sql`update webhooks set previous_secret = ${previous}, previous_secret_until = now() + interval '1 day'
      where id = ${id}`.execute(world.db)
    await world.queue(id, numbered(1))
    await eventually(() => received('/rotated').length === 1)
    const [both] = received('/rotated')
    for (const key of [secret, previous])
      new Webhook(key).verify(both?.body ?? '', both?.headers as Record<string, string>)

    await sql`update webhooks set previous_secret_until = now() where id = ${id}`.execute(world.db)
    await world.queue(id, numbered(1))
    await eventually(() => received('/rotated').length === 2)
    const headers = received('/rotated')[1]?.headers as Record<string, string>
    new Webhook(secret).verify('[{"n":0}]', headers)
    expect(() => new Webhook(previous).verify('[{"n":0}]', headers)).toThrow()
  })

  it('makes batches of up to 100 events, in order, each of its own id', async () => {
    const { id } = await world.addWebhook(at('/batches'))
    await world.queue(id, numbered(250))
    await eventually(() => receiver.rows('/batches').length === 250)
    expect(received('/batches').map(({ body }) => (JSON.parse(body) as []).length)).toEqual([
      100, 100, 50,
    ])
    expect(numbersOf(receiver.rows('/batches'))).toEqual(
      Array.from({ length: 250 }, (_, index) => index),
    )
    expect(new Set(received('/batches').map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  })

  it('makes a batch of a MiB at most, and of one event that is larger', async () => {
    const { id } = await world.addWebhook(at('/large'))
    const large = (bytes: number) => ({ row: { t: 'x'.repeat(bytes) } })
    await world.queue(id, [large(600_000), large(400_000), large(2_000_000), large(1), large(2)])
    await eventually(() => receiver.rows('/large').length === 5)
    expect(received('/large').map(({ body }) => (JSON.parse(body) as []).length)).toEqual([2, 1, 2])
  })

  it('never mixes deleted rows with others', async () => {
    const { id } = await world.addWebhook(at('/kinds'))
    const kinds = ['add', 'update', 'remove', 'remove', 'update'] as const
    await world.queue(
      id,
      kinds.map((kind, n) => ({ kind, row: { n } })),
    )
    await eventually(() => receiver.rows('/kinds').length === 5)
    expect(received('/kinds').map(({ headers, body }) => [headers['sheaf-event'], body])).toEqual([
      ['add,update', '[{"n":0},{"n":1}]'],
      ['remove', '[{"n":2},{"n":3}]'],
      ['update', '[{"n":4}]'],
    ])
  })

  it('tries again with the same bytes under the same id, and nothing goes before it', async () => {
    const { id } = await world.addWebhook(at('/again'))
    let broken = true
    answerAt('/again', () =>
      broken ? { status: 500, body: 'out of \0order' } : { status: 202, body: 'ok' },
    )
    await world.queue(id, numbered(2))
    const failing = await eventually(async () => {
      const found = await world.webhook(id)
      expect(found).toMatchObject({ status: 'retrying', lease_id: null })
      return found
    })
    await world.postpone(id)
    expect(failing).toMatchObject({
      waiting_count: 2,
      attempts: 1,
      last_http_status: 500,
      last_error: 'out of \ufffdorder',
      last_batch: { status: 'failure', httpStatus: 500, size: 2, attempts: 1 },
      failing_since: expect.any(Date),
    })
    const wait = (failing.retry_at?.getTime() ?? 0) - (failing.updated_at?.getTime() ?? 0)
    expect(wait).toBeGreaterThanOrEqual(800)
    expect(wait).toBeLessThanOrEqual(1_200)
    await world.queue(id, numbered(1, 2))
    await world.makeDue(id)
    await eventually(async () => expect((await world.webhook(id)).attempts).toBe(2))
    await world.postpone(id)
    broken = false
    await world.makeDue(id)
    await eventually(() => isIdle(id))
    const [first, second, third, fourth] = received('/again')
    expect([first?.body, second?.body, third?.body]).toEqual(Array(3).fill('[{"n":0},{"n":1}]'))
    expect(fourth?.body).toBe('[{"n":2}]')
    const ids = received('/again').map(({ headers }) => headers['webhook-id'])
    expect(ids.slice(0, 3)).toEqual(Array(3).fill(ids[0]))
    expect(ids[3]).not.toBe(ids[0])
    expect(await world.webhook(id)).toMatchObject({
      status: 'idle',
      attempts: 0,
      failing_since: null,
      retry_at: null,
      waiting_count: 0,
    })
    expect(await world.deliveries(id)).toMatchObject([
      { state: 'success', attempts: 3, http_status: 202, error: null, response_excerpt: 'ok' },
      { state: 'success', attempts: 1 },
    ])
  })

  it('waits as long as the receiver asks', async () => {
    const { id } = await world.addWebhook(at('/busy'))
    answerAt('/busy', () => ({ status: 503, headers: { 'retry-after': '3600' } }))
    await world.queue(id, numbered(1))
    await eventually(async () => expect((await world.webhook(id)).status).toBe('postponed'))
    const { retry_at, updated_at } = await world.webhook(id)
    expect((retry_at?.getTime() ?? 0) - (updated_at?.getTime() ?? 0)).toBe(3_600_000)
  })

  it('follows no redirect, and says so', async () => {
    const { id } = await world.addWebhook(at('/moved'))
    answerAt('/moved', () => ({ status: 302, headers: { location: at('/elsewhere') } }))
    await world.queue(id, numbered(1))
    await eventually(async () => {
      expect((await world.webhook(id)).last_error).toBe(
        'HTTP status 302: redirects are not followed',
      )
    })
    expect(received('/elsewhere')).toEqual([])
  })

  it('stops a webhook whose receiver is gone for good, and keeps what waits until it is enabled', async () => {
    const { id } = await world.addWebhook(at('/gone'))
    answerAt('/gone', () => ({ status: 410 }))
    await world.queue(id, numbered(1))
    await eventually(async () => expect((await world.webhook(id)).halted_at).not.toBeNull())
    expect(await world.webhook(id)).toMatchObject({
      status: 'error',
      stopped_reason: 'the receiver returned HTTP status 410 (gone)',
      stopped_seq: null,
      due_at: null,
      waiting_count: 1,
      last_batch: { status: 'rejected' },
    })
    await world.queue(id, numbered(1, 1))
    await eventually(() => isIdle(id))
    expect(received('/gone')).toHaveLength(1)

    answerAt('/gone', () => ({}))
    await sql`update webhooks set halted_at = null, stopped_reason = null, attempts = 0, failing_since = null,
      status = 'idle', due_at = now() where id = ${id}`.execute(world.db)
    await eventually(() => receiver.rows('/gone').length === 3)
    expect(numbersOf(receiver.rows('/gone'))).toEqual([0, 0, 1])
  })

  it('gives a webhook up that has failed for 5 days, with the reason', async () => {
    const { id } = await world.addWebhook(at('/never'))
    answerAt('/never', () => ({ status: 500 }))
    await world.queue(id, numbered(1))
    await eventually(async () =>
      expect((await world.webhook(id)).attempts).toBeGreaterThanOrEqual(1),
    )
    await sql`update webhooks set failing_since = now() - interval '5 days' where id = ${id}`.execute(
      world.db,
    )
    await world.makeDue(id)
    await eventually(async () => {
      expect(await world.webhook(id)).toMatchObject({
        status: 'error',
        stopped_reason: 'no successful delivery for 5 days',
        due_at: null,
        retry_at: null,
        waiting_count: 1,
      })
    })
  })

  it('goes on delivering what waits for a webhook that takes no more because its queue was full', async () => {
    const { id } = await world.addWebhook(at('/full'))
    await sql`update webhooks set stopped_reason = 'full', stopped_seq = 7, status = 'error' where id = ${id}`.execute(
      world.db,
    )
    await world.queue(id, numbered(150))
    await eventually(() => receiver.rows('/full').length === 150)
    await eventually(() => isIdle(id))
    expect(await world.webhook(id)).toMatchObject({
      status: 'error',
      stopped_reason: 'full',
      waiting_count: 0,
    })
  })

  it('does not send to an address that is no longer allowed, and tells', async () => {
    const { id } = await world.addWebhook('http://10.0.0.1/')
    await world.queue(id, numbered(1))
    await eventually(async () => expect((await world.webhook(id)).status).toBe('invalid'))
    expect(await world.webhook(id)).toMatchObject({
      last_error: 'the URL is not allowed',
      last_http_status: null,
      waiting_count: 1,
      last_batch: { status: 'rejected' },
      retry_at: expect.any(Date),
    })
  })

  it('of what was dropped meanwhile brings nothing back', async () => {
    const { id } = await world.addWebhook(at('/dropped'))
    let answer: (status: number) => void = () => {}
    answerAt('/dropped', () => new Promise((resolve) => (answer = (status) => resolve({ status }))))
    await world.queue(id, numbered(1))
    await eventually(() => received('/dropped').length === 1)
    // As clearing the queue does it.
    await world.db.transaction().execute(async (trx) => {
      await sql`update webhooks set waiting_count = 0, waiting_bytes = 0, due_at = null, status = 'idle'
        where id = ${id}`.execute(trx)
      await sql`update deliveries set state = 'failed', error = 'dropped', body = null
        where webhook_id = ${id}`.execute(trx)
    })
    answer(500)
    await eventually(() => isIdle(id))
    expect(await world.webhook(id)).toMatchObject({
      status: 'idle',
      attempts: 0,
      failing_since: null,
      last_failure_at: null,
      waiting_count: 0,
    })
    expect(await world.deliveries(id)).toMatchObject([{ state: 'failed', error: 'dropped' }])
  })

  it('of a webhook that is deleted meanwhile ends', async () => {
    const { id, docId } = await world.addWebhook(at('/deleted'))
    let answer: () => void = () => {}
    answerAt('/deleted', () => new Promise((resolve) => (answer = () => resolve({}))))
    await world.queue(id, numbered(1))
    await eventually(() => received('/deleted').length === 1)
    await sql`delete from documents where doc_id = ${docId}`.execute(world.db)
    answer()
    const { id: next } = await world.addWebhook(at('/after-deleted'))
    await world.queue(next, numbered(1))
    await eventually(() => received('/after-deleted').length === 1)
    expect(await world.deliveries(id)).toEqual([])
  })

  it('to an address that has changed meanwhile does not count the failure of the old one', async () => {
    const { id } = await world.addWebhook(at('/old'))
    let answer: () => void = () => {}
    answerAt('/old', () => new Promise((resolve) => (answer = () => resolve({ status: 410 }))))
    await world.queue(id, numbered(1))
    await eventually(() => received('/old').length === 1)
    await sql`update webhooks set url = ${at('/new')} where id = ${id}`.execute(world.db)
    answer()
    await eventually(() => received('/new').length === 1)
    await eventually(() => isIdle(id))
    expect(await world.webhook(id)).toMatchObject({ status: 'idle', halted_at: null, attempts: 0 })
  })
})
