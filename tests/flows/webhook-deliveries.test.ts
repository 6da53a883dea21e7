import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { Webhook } from 'standardwebhooks'
import { addRecords, addTable, newDocument, useOwnSystem } from '../support/system'
import {
  addWebhook,
  allowLoopback,
  deliveriesTo,
  headersOf,
  readWebhook,
  requireOk,
  untilRows,
  type RestDelivery,
} from '../support/webhooks'

const system = useOwnSystem({ env: allowLoopback })

let rest: Rest
let receiver: WebhookReceiver
beforeAll(async () => {
  rest = system.alice.rest
  receiver = await startReceiver()
})
afterEach(() => {
  receiver.answer = () => ({})
})
afterAll(() => receiver?.[Symbol.asyncDispose]())

/** A document with the table Pets, and a path of the receiver that is used by this test only. */
async function prepare(): Promise<{ doc: string; pets: string; path: string; url: string }> {
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { A: 'Text', B: 'Int', Ready: 'Bool', D: 'Date' })
  const path = `/${randomUUID()}`
  return { doc, pets: `${doc}/tables/Pets`, path, url: `${receiver.url}${path}` }
}

async function change(table: string, id: number, fields: object): Promise<void> {
  requireOk(await rest.patch(`${table}/records`, { body: { records: [{ id, fields }] } }))
}

async function remove(table: string, ...ids: number[]): Promise<void> {
  requireOk(await rest.post(`${table}/records/delete`, { body: ids }))
}

const petsOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ A, B }) => [A, B])

/** Replies 500 to everything, like a broken receiver. */
function breakReceiver(): void {
  receiver.answer = () => ({ status: 500, body: 'out of order' })
}

describe('the events of a webhook', () => {
  it('come of rows that are ready, and of watched columns of rows that stay ready', async () => {
    const { doc, pets, path, url } = await prepare()
    await addWebhook(rest, doc, { url, isReadyColumn: 'Ready', watchedColIds: ['A'] })
    await addRecords(rest, pets, [{ A: 'a1', B: 1, Ready: false, D: 1704153600 }])
    await change(pets, 1, { B: 2 })
    await change(pets, 1, { Ready: true }) // sent: ready from now on
    await change(pets, 1, { B: 3 })
    await change(pets, 1, { A: 'a2' }) // sent: watched
    await change(pets, 1, { A: 'a2' })
    await change(pets, 1, { Ready: false })
    await change(pets, 1, { A: 'a3' })
    await change(pets, 1, { Ready: true }) // sent: ready again
    await change(pets, 1, { Ready: 'maybe' })
    await change(pets, 1, { A: 'a4' })
    await remove(pets, 1)
    await addRecords(rest, pets, [{ A: 'last', Ready: true }]) // sent: ready at once
    const rows = await untilRows(receiver, path, 4)
    expect(petsOf(rows)).toEqual([
      ['a1', 2],
      ['a2', 3],
      ['a3', 3],
      ['last', 0],
    ])
    const [first] = deliveriesTo(receiver, path)
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(first?.headers.authorization).toBeUndefined()
    expect(rows[0]).toEqual({
      id: 1,
      manualSort: 1,
      A: 'a1',
      B: 2,
      Ready: true,
      D: 1704153600,
    })
  })

  it('hold the values as of the event, whatever has become of the row until they are sent', async () => {
    const { doc, pets, path, url } = await prepare()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const id = await addWebhook(rest, doc, { url, authorization: 'Bearer of news' })
    receiver.answer = async () => {
      await held
      return {}
    }
    await addRecords(rest, pets, [{ A: 'first' }])
    await untilRows(receiver, path, 1)
    for (const B of [1, 2, 3]) await change(pets, 1, { B })
    await remove(pets, 1)
    await eventually(async () => (await readWebhook(rest, doc, id)).usage.numWaiting === 4)
    release()
    expect(petsOf(await untilRows(receiver, path, 4))).toEqual([
      ['first', 0],
      ['first', 1],
      ['first', 2],
      ['first', 3],
    ])
    const sent = deliveriesTo(receiver, path)
    expect(sent.length).toBe(2)
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill('Bearer of news'),
    )
  })

  it('hold what formulas made of the change', async () => {
    const { doc, pets, path, url } = await prepare()
    const fields = { type: 'Numeric', isFormula: true, formula: '$B * 2' }
    requireOk(await rest.post(`${pets}/columns`, { body: { columns: [{ id: 'C', fields }] } }))
    await addWebhook(rest, doc, { url })
    await addRecords(rest, pets, [{ B: 1 }])
    await change(pets, 1, { B: 2 })
    const rows = await untilRows(receiver, path, 2)
    expect(rows.map(({ B, C }) => [B, C])).toEqual([
      [1, 2],
      [2, 4],
    ])
  })

  it('are sent in order, a hundred at a time', async () => {
    const { doc, pets, path, url } = await prepare()
    await addWebhook(rest, doc, { url, eventTypes: ['add'] })
    await addRecords(
      rest,
      pets,
      Array.from({ length: 250 }, (_, B) => ({ B })),
    )
    const rows = await untilRows(receiver, path, 250)
    expect(rows.map(({ B }) => B)).toEqual(Array.from({ length: 250 }, (_, B) => B))
    const sizes = deliveriesTo(receiver, path).map(({ body }) => (JSON.parse(body) as []).length)
    expect(sizes).toEqual([100, 100, 50])
  })

  it('of removed rows hold what they were, for those who ask for these events', async () => {
    const { doc, pets, path, url } = await prepare()
    await addWebhook(rest, doc, { url, eventTypes: ['remove'] })
    await addRecords(rest, pets, [{ A: 'Rex', B: 1 }])
    await change(pets, 1, { B: 2 })
    await remove(pets, 1)
    const rows = await untilRows(receiver, path, 1)
    expect(rows).toEqual([expect.objectContaining({ id: 1, A: 'Rex', B: 2 })])
    expect(deliveriesTo(receiver, path)[0]?.headers['sheaf-event']).toBe('remove')
  })

  it('agree with the change feed', async () => {
    const { doc, pets, path, url } = await prepare()
    await addWebhook(rest, doc, { url, eventTypes: ['add', 'update', 'remove'] })
    await addRecords(rest, pets, [{ A: 'a' }, { A: 'b' }])
    await change(pets, 2, { A: 'c' })
    await addRecords(rest, pets, [{ A: 'd' }])
    await remove(pets, 1, 3)
    const feed = await rest.get<{
      changes: { operations: { tableId: string; rowIds?: number[] }[] }[]
    }>(`${doc}/changes`)
    const changed = requireOk(feed)
      .changes.flatMap(({ operations }) => operations)
      .flatMap(({ tableId, rowIds = [] }) => (tableId === 'Pets' ? rowIds : []))
    expect(changed).toEqual([1, 2, 2, 3, 1, 3])
    const rows = await untilRows(receiver, path, changed.length)
    expect(rows.map(({ id }) => id)).toEqual(changed)
  })
})

describe('a webhook of a table whose form changes', () => {
  it('follows renames, and counts every row as ready once its column is gone', async () => {
    const { doc, pets, path, url } = await prepare()
    const names = { isReadyColumn: 'Ready', watchedColIds: ['A'] }
    const id = await addWebhook(rest, doc, { url, ...names })
    const table = { id: 'Pets', fields: { tableId: 'Animals' } }
    const columns = [
      { id: 'A', fields: { colId: 'Alpha' } },
      { id: 'Ready', fields: { colId: 'Done' } },
    ]
    requireOk(await rest.patch(`${pets}/columns`, { body: { columns } }))
    requireOk(await rest.patch(`${doc}/tables`, { body: { tables: [table] } }))
    const animals = `${doc}/tables/Animals`
    expect((await readWebhook(rest, doc, id)).fields).toMatchObject({
      tableId: 'Animals',
      isReadyColumn: 'Done',
      watchedColIds: ['Alpha'],
    })
    await addRecords(rest, animals, [{ Alpha: 'not ready' }, { Alpha: 'ready', Done: true }])
    await change(animals, 2, { B: 7 })
    await change(animals, 2, { Alpha: 'watched' })
    requireOk(await rest.delete(`${animals}/columns/Done`))
    await eventually(async () => {
      expect((await readWebhook(rest, doc, id)).fields.isReadyColumn).toBeNull()
    })
    await change(animals, 1, { Alpha: 'as good as ready' })
    const rows = await untilRows(receiver, path, 3)
    expect(rows.map(({ Alpha }) => Alpha)).toEqual(['ready', 'watched', 'as good as ready'])
    expect(rows[2]).not.toHaveProperty('Done')
  })

  it('stays when its table is deleted, and names none', async () => {
    const { doc, pets, path, url } = await prepare()
    const id = await addWebhook(rest, doc, { url, watchedColIds: ['A'] })
    await addRecords(rest, pets, [{ A: 'sent' }])
    await remove(`${doc}/tables/_grist_Tables`, 2)
    await eventually(async () => {
      const { fields } = await readWebhook(rest, doc, id)
      expect(fields).toMatchObject({ tableId: null, watchedColIds: [] })
    })
    expect((await untilRows(receiver, path, 1)).map(({ A }) => A)).toEqual(['sent'])
  })
})

const untouched = { status: 'idle', numWaiting: 0, lastEventBatch: null }

describe('the queue of a webhook', () => {
  it('tells of itself before and after deliveries', async () => {
    const { doc, pets, path, url } = await prepare()
    const id = await addWebhook(rest, doc, { url })
    expect((await readWebhook(rest, doc, id)).usage).toEqual(untouched)
    const before = Date.now()
    await addRecords(rest, pets, [{ A: 'x' }, { A: 'y' }])
    await untilRows(receiver, path, 2)
    const usage = await eventually(async () => {
      const now = (await readWebhook(rest, doc, id)).usage
      return now.status === 'idle' && now.numWaiting === 0 && now
    })
    expect(usage).toMatchObject({
      lastHttpStatus: 200,
      lastEventBatch: {
        status: 'success',
        size: 2,
        attempts: 1,
        httpStatus: 200,
        errorMessage: null,
      },
    })
    expect(usage.lastSuccessTime).toBeGreaterThanOrEqual(before)
  })

  it.each([
    ['is cleared', async (queue: string) => requireOk(await rest.delete(queue))],
    [
      'is emptied when the webhook is disabled',
      async (_queue: string, webhook: string) => {
        requireOk(await rest.patch(webhook, { body: { enabled: false } }))
        requireOk(await rest.patch(webhook, { body: { enabled: true } }))
      },
    ],
  ])('%s, and what comes later is sent', async (_, empty) => {
    const { doc, pets, path, url } = await prepare()
    const id = await addWebhook(rest, doc, { url })
    breakReceiver()
    await addRecords(rest, pets, [{ A: 'lost' }, { A: 'lost too' }])
    await eventually(async () => {
      const { usage } = await readWebhook(rest, doc, id)
      expect(usage).toMatchObject({ numWaiting: 2, lastHttpStatus: 500, status: 'retrying' })
    })
    await empty(`${doc}/webhooks/queue`, `${doc}/webhooks/${id}`)
    expect((await readWebhook(rest, doc, id)).usage).toMatchObject(untouched)
    const failed = deliveriesTo(receiver, path).length
    receiver.answer = () => ({})
    await addRecords(rest, pets, [{ A: 'found' }])
    const sent = await eventually(() => {
      const later = deliveriesTo(receiver, path).slice(failed)
      return later.length > 0 && later
    })
    expect(sent.map(({ body }) => (JSON.parse(body) as { A: string }[])[0]?.A)).toEqual(['found'])
  })

  it('is not held up by another webhook of the same document that fails or hangs', async () => {
    const { doc, pets, path, url } = await prepare()
    receiver.answer = async (delivery) => {
      if (delivery.path.endsWith('/hangs')) await new Promise(() => {})
      return { status: delivery.path.endsWith('/fails') ? 500 : 200 }
    }
    await addWebhook(rest, doc, { url: `${url}/hangs` })
    await addWebhook(rest, doc, { url: `${url}/fails` })
    await addWebhook(rest, doc, { url })
    for (const A of ['one', 'two']) await addRecords(rest, pets, [{ A }])
    // Well within the timeout of the delivery that hangs.
    const rows = await eventually(() => receiver.rows(path).length === 2 && receiver.rows(path))
    expect(rows.map(({ A }) => A)).toEqual(['one', 'two'])
    await eventually(() => deliveriesTo(receiver, `${path}/hangs`).length > 0)
  })
})

describe('the deliveries of a webhook', () => {
  const logOf = async (webhook: string) =>
    requireOk(await rest.get<{ deliveries: RestDelivery[] }>(`${webhook}/deliveries`)).deliveries

  it('are signed as Standard Webhooks says, with both secrets while one is being changed', async () => {
    const { doc, pets, path, url } = await prepare()
    const webhook = `${doc}/webhooks/${await addWebhook(rest, doc, { url })}`
    type Secret = { secret: string }
    const { secret } = requireOk(await rest.get<Secret>(`${webhook}/secret`))
    await addRecords(rest, pets, [{ A: 'old' }])
    await untilRows(receiver, path, 1)
    const rotated = requireOk(await rest.post<Secret>(`${webhook}/secret`))
    expect(rotated.secret).not.toBe(secret)
    await addRecords(rest, pets, [{ A: 'new' }])
    await untilRows(receiver, path, 2)
    const [first, second] = deliveriesTo(receiver, path)
    if (!first || !second) throw new Error('two deliveries are needed')
    const verify = (by: string, delivery: typeof first, body = delivery.body) =>
      new Webhook(by).verify(body, headersOf(delivery))
    expect(verify(secret, first)).toEqual([expect.objectContaining({ A: 'old' })])
    expect(() => verify(rotated.secret, first)).toThrow()
    expect(() => verify(secret, first, first.body.replace('old', 'odd'))).toThrow()
    for (const each of [secret, rotated.secret])
      expect(verify(each, second)).toEqual([expect.objectContaining({ A: 'new' })])
  })

  it('are kept in a log, from which each can be sent again as it was', async () => {
    const { doc, pets, path, url } = await prepare()
    const webhook = `${doc}/webhooks/${await addWebhook(rest, doc, { url })}`
    await addRecords(rest, pets, [{ A: 'a' }, { A: 'b' }])
    await untilRows(receiver, path, 2)
    const [logged] = await eventually(async () => {
      const log = await logOf(webhook)
      return log[0]?.status === 'success' && log
    })
    const attempt = { status: 'success', size: 2, attempts: 1, httpStatus: 200 }
    const [first] = deliveriesTo(receiver, path)
    expect(logged).toMatchObject({ ...attempt, id: first?.headers['webhook-id'] })
    requireOk(await rest.post(`${webhook}/deliveries/${logged?.id}/redeliver`))
    await untilRows(receiver, path, 4)
    const [, again] = deliveriesTo(receiver, path)
    expect(again?.body).toBe(first?.body)
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  it('can be replayed from a place in the log, and tried with a made-up event', async () => {
    const { doc, pets, path, url } = await prepare()
    const webhook = `${doc}/webhooks/${await addWebhook(rest, doc, { url })}`
    await addRecords(rest, pets, [{ A: 'first' }])
    const { latest } = requireOk(await rest.get<{ latest: number }>(`${doc}/changes`))
    await addRecords(rest, pets, [{ A: 'second' }])
    await change(pets, 2, { A: 'third' })
    await untilRows(receiver, path, 3)
    requireOk(await rest.post(`${webhook}/replay`, { body: { since: latest } }))
    const rows = await untilRows(receiver, path, 5)
    expect(rows.slice(3).map(({ A }) => A)).toEqual(['second', 'third'])
    requireOk(await rest.post(`${webhook}/test`))
    await eventually(() => deliveriesTo(receiver, path).at(-1)?.headers['sheaf-event'] === 'test')
  })
})
