import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { sql } from 'kysely'
import { people, startTestWebhooks, type TestWebhooks } from './test-webhooks'

const idle = { numWaiting: 0, status: 'idle' }

describe('webhooks', () => {
  let test: TestWebhooks
  beforeAll(async () => {
    test = await startTestWebhooks()
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(() => Object.assign(test.document, { tables: [people], seq: 7 }))

  /** Makes events wait, and a delivery that is being tried, by a sender that nobody else overtakes. */
  async function queue(id: string, count: number) {
    await sql`
      insert into events (webhook_id, seq, row_number, kind, time_ms, body)
      select ${id}, 7 + n, 0, 'add', 0, '{"id":1}' from generate_series(1, ${count}::int) n`.execute(
      test.db,
    )
    const delivery = { id: `msg_${id}`, webhook_id: id, size: 1, body: '[]', body_bytes: 2 }
    await test.db.insertInto('deliveries').values(delivery).execute()
    const waiting = { waiting_count: count + 1, waiting_bytes: 8 * count + 2 }
    await test.set(id, {
      ...waiting,
      ...{ due_at: new Date(), attempts: 3, failing_since: new Date(), retry_at: new Date() },
      ...{ status: 'retrying', updated_at: new Date(), last_error: 'no', last_http_status: 500 },
      ...{ last_failure_at: new Date(), last_success_at: new Date() },
      ...{ lease_id: randomUUID(), lease_until: new Date(Date.now() + 3_600_000) },
      last_batch: JSON.stringify({
        status: 'failure',
        httpStatus: 500,
        errorMessage: 'no',
        size: 1,
        attempts: 3,
      }),
    })
  }
  const countWaiting = async (id: string) => {
    const events = test.db.selectFrom('events').select('seq').where('webhook_id', '=', id)
    const deliveries = test.db.selectFrom('deliveries').select(['state', 'error', 'body'])
    return {
      events: (await events.execute()).length,
      deliveries: await deliveries.where('webhook_id', '=', id).execute(),
    }
  }

  it('lose what waits and how they fared when they are disabled, and go on with later events', async () => {
    const docId = randomUUID()
    const [id = '', other = ''] = await test.create(docId, {}, {})
    await queue(id, 3)
    await queue(other, 2)
    await test.set(id, { lease_id: randomUUID(), halted_at: new Date(), stopped_reason: 'gone' })
    const { lease_id } = await test.read(id)
    await test.change(docId, id, { enabled: false, name: 'x' })
    const dropped = [{ state: 'failed', error: 'dropped from the queue', body: null }]
    expect(await countWaiting(id)).toEqual({ events: 0, deliveries: dropped })
    expect(await test.read(id)).toMatchObject({
      ...{ enabled: false, name: 'x', waiting_count: 0, waiting_bytes: 0, due_at: null },
      ...{
        attempts: 0,
        failing_since: null,
        retry_at: null,
        halted_at: null,
        stopped_reason: null,
      },
      ...{ lease_id, after_seq: 7 },
    })
    const [first, second] = await test.list(docId)
    expect(first?.usage).toEqual(idle)
    expect(second?.usage).toMatchObject({ numWaiting: 3, status: 'retrying', lastHttpStatus: 500 })
    expect((await countWaiting(other)).events).toBe(2)

    test.document.seq = 12
    await test.change(docId, id, { enabled: true })
    expect(await test.read(id)).toMatchObject({ enabled: true, after_seq: 12, due_at: null })
  })

  it('that were stopped or halted are set going when they are enabled again', async () => {
    const docId = randomUUID()
    const id = await test.createOne(docId)
    await queue(id, 1)
    const stopped = { status: 'error' as const, stopped_reason: 'full' }
    await test.set(id, { ...stopped, stopped_seq: 9, halted_at: new Date(), due_at: null })
    expect((await test.list(docId))[0]?.usage).toMatchObject({
      stoppedReason: 'full',
      stoppedSeq: 9,
    })
    // Another address does for one that was halted, and not for one for which too much waits.
    await test.change(docId, id, { url: 'https://b.example/' })
    expect(await test.read(id)).toMatchObject({
      ...stopped,
      ...{ stopped_seq: 9, halted_at: null, attempts: 0, due_at: expect.any(Date) as Date },
    })
    test.document.seq = 20
    await test.change(docId, id, { enabled: true })
    expect(await test.read(id)).toMatchObject({
      ...{ status: 'idle', stopped_reason: null, stopped_seq: null, after_seq: 20 },
      ...{ retry_at: null, failing_since: null, waiting_count: 2 },
    })
    await test.set(id, { ...stopped, halted_at: new Date() })
    await test.change(docId, id, { authorization: 'new' })
    expect(await test.read(id)).toMatchObject({
      status: 'idle',
      stopped_reason: null,
      halted_at: null,
    })
  })

  it('lose what waits, and their figures, when their queue is cleared: of one, or of all', async () => {
    const docId = randomUUID()
    const [a = '', b = '', c = ''] = await test.create(docId, {}, {}, {})
    for (const id of [a, b, c]) await queue(id, 2)
    const call = await test.as(docId)
    await test.webhooks.clearQueue({ docId, webhookId: b }, call)
    expect((await test.list(docId)).map(({ usage }) => usage?.numWaiting)).toEqual([3, 0, 3])
    expect((await test.list(docId))[1]?.usage).toEqual(idle)
    await test.set(a, { stopped_reason: 'full', stopped_seq: 9, status: 'error' })
    await test.set(c, { stopped_reason: 'gone', halted_at: new Date(), status: 'error' })
    await test.db
      .updateTable('documents')
      .set({ handled_seq: 30 })
      .where('doc_id', '=', docId)
      .execute()
    await test.webhooks.clearQueue({ docId, webhookId: '' }, call)
    expect((await test.list(docId)).map(({ usage }) => usage)).toEqual([
      idle,
      idle,
      { ...idle, status: 'error', stoppedReason: 'gone' },
    ])
    for (const id of [a, b, c]) expect((await countWaiting(id)).events).toBe(0)
    expect(await test.read(a)).toMatchObject({ after_seq: 30, stopped_seq: null })
    expect(await test.read(b)).toMatchObject({ after_seq: 7, enabled: true })
  })

  it('with a long queue lose all of it', async () => {
    const docId = randomUUID()
    const id = await test.createOne(docId)
    await queue(id, 25_000)
    await test.webhooks.clearQueue({ docId, webhookId: id }, await test.as(docId))
    expect((await countWaiting(id)).events).toBe(0)
    expect(await test.read(id)).toMatchObject({ waiting_count: 0, waiting_bytes: 0 })
  })

  it('lose nothing of a long queue when a change that would disable them is refused', async () => {
    const docId = randomUUID()
    const id = await test.createOne(docId)
    await queue(id, 25_000)
    const change = test.change(docId, id, { enabled: false, tableId: 'Nowhere' })
    await expect(change).rejects.toMatchObject({ reason: 'TABLE_NOT_FOUND' })
    expect((await countWaiting(id)).events).toBe(25_000)
    expect(await test.read(id)).toMatchObject({ enabled: true, waiting_count: 25_001 })
  })

  it.each(['disabled', 'cleared'])(
    'do not get in the way of the delivery that is just being written down when they are %s',
    async (way) => {
      const docId = randomUUID()
      const id = await test.createOne(docId)
      await queue(id, 1)
      let ending: Promise<unknown> = Promise.resolve()
      await test.db.transaction().execute(async (trx) => {
        const own = trx.selectFrom('webhooks').select('id').where('id', '=', id)
        await own.forUpdate().execute()
        ending =
          way === 'disabled'
            ? test.change(docId, id, { enabled: false })
            : test.webhooks.clearQueue({ docId, webhookId: id }, await test.as(docId))
        await eventually(async () => {
          const { rows } = await sql`
            select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            test.db,
          )
          expect(rows).toHaveLength(1)
        })
        const held = trx.selectFrom('events').select('seq').where('webhook_id', '=', id)
        expect(await held.forUpdate().noWait().execute()).toHaveLength(1)
      })
      await ending
      expect((await countWaiting(id)).events).toBe(0)
    },
  )

  it('are deleted with all that is kept of them, and with the last of them what is kept of the document', async () => {
    const docId = randomUUID()
    const [a = '', b = ''] = await test.create(docId, {}, {})
    await queue(a, 2)
    const documents = () =>
      test.db.selectFrom('documents').selectAll().where('doc_id', '=', docId).execute()
    await test.webhooks.deleteWebhook({ docId, webhookId: a }, await test.as(docId))
    expect(await countWaiting(a)).toEqual({ events: 0, deliveries: [] })
    expect((await test.list(docId)).map(({ id }) => id)).toEqual([b])
    expect(await documents()).toHaveLength(1)
    await test.webhooks.deleteWebhook({ docId, webhookId: b }, await test.as(docId))
    expect(await documents()).toEqual([])
  })
})
