import type { Rest } from '@sheaf/testkit/rest'
import { addRecords, addTable, homeWorkspace, newDocument, useOwnSystem } from '../support/system'

// Nothing waits at this address; definitions alone are tested here.
const system = useOwnSystem({ env: { SHEAF_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:9' } })
const url = 'http://127.0.0.1:9/hook'
const done = [200, { success: true }]
const idle = { status: 'idle', numWaiting: 0, lastEventBatch: null }

interface Webhook {
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly usage: object
}

/** A document with a table, and what makes and shows its webhooks. */
async function setUp() {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { Name: 'Text', Ready: 'Bool' })
  const create = async (...list: object[]) => {
    const webhooks = list.map((fields) => ({
      fields: { url, eventTypes: ['add'], tableId: 'Pets', ...fields },
    }))
    return rest.post<{ webhooks: { id: string }[] }>(`${doc}/webhooks`, { body: { webhooks } })
  }
  const list = async (as: Rest = rest) =>
    (await as.get<{ webhooks: Webhook[] }>(`${doc}/webhooks`)).body.webhooks
  const createOne = async (fields: object = {}) => (await create(fields)).body.webhooks[0]?.id ?? ''
  const patch = async (id: string, body: object) => {
    const reply = await rest.patch<{ error?: string }>(`${doc}/webhooks/${id}`, { body })
    return [reply.status, reply.body]
  }
  return { rest, doc, create, createOne, list, patch }
}

describe('webhooks', () => {
  it('are made, listed with what their owner has set, changed and deleted', async () => {
    const { rest, doc, create, list, patch } = await setUp()
    expect(await list()).toEqual([])
    const more = { name: 'Mine', isReadyColumn: 'Ready', watchedColIds: ['Name'], enabled: false }
    const made = await create({}, { ...more, eventTypes: ['update', 'remove'] })
    expect(made.status).toBe(200)
    const ids = made.body.webhooks.map(({ id }) => id)
    const plain = {
      ...{ url, authorization: '', unsubscribeKey: expect.any(String) as string },
      ...{ eventTypes: ['add'], isReadyColumn: null, watchedColIds: [], tableId: 'Pets' },
      ...{ enabled: true, name: '', memo: '' },
    }
    expect(await list()).toEqual([
      { id: ids[0], fields: plain, usage: idle },
      { id: ids[1], fields: { ...plain, ...more, eventTypes: ['update', 'remove'] }, usage: idle },
    ])
    const [id = ''] = ids
    expect(await patch(id, { ...more, isReadyColumn: null, bogus: 1 })).toEqual(done)
    expect((await list())[0]?.fields).toEqual({ ...plain, ...more, isReadyColumn: null })
    for (const path of [
      'queue',
      `queue/${id}`,
      'queue/nosuchhook',
      `${id}/queue`,
      'nosuchhook/queue',
      id,
    ]) {
      const reply = await rest.delete(`${doc}/webhooks/${path}`)
      expect([reply.status, reply.body]).toEqual(done)
    }
    const again = await rest.delete(`${doc}/webhooks/${id}`)
    expect(again).toMatchObject({
      ...{ status: 404, body: { error: `Webhook not found "${id}"` } },
    })
    expect((await list()).map(({ id }) => id)).toEqual(ids.slice(1))
  })

  it.each<[string, object, number, string]>([
    ['no list', {}, 400, 'body.webhooks is missing'],
    ['an item without fields', { webhooks: [{}] }, 400, 'body.webhooks[0].fields is missing'],
    ['no fields', { webhooks: [{ fields: {} }] }, 400, 'fields.eventTypes is missing'],
    ['a number as url', { url: 5 }, 400, 'fields.url is not a string'],
    ['what is no url', { url: 'not a url' }, 403, 'Provided url is forbidden'],
    ['a private address', { url: 'https://10.0.0.1/' }, 403, 'Provided url is forbidden'],
    ['another port', { url: 'http://127.0.0.1:10/' }, 403, 'Provided url is forbidden'],
    ['an unknown table', { tableId: 'Nope' }, 404, 'Table not found "Nope"'],
    ['an unknown column', { isReadyColumn: 'Nope' }, 404, 'Column not found "Nope"'],
    ['no events', { eventTypes: [] }, 400, 'eventTypes must be a non-empty array'],
    [
      'an unknown event',
      { eventTypes: ['add', 'drop'] },
      400,
      'fields.eventTypes[1] is none of "add", "update", "remove"',
    ],
    ['one event that is no list', { eventTypes: 'add' }, 400, 'fields.eventTypes is not an array'],
    ['a number as switch', { enabled: 1 }, 400, 'fields.enabled is not a boolean'],
    ['a condition', { condition: '$A > 1' }, 400, 'fields.condition must be empty'],
    ['two headers in one', { authorization: 'a\nb: c' }, 400, 'authorization has a character'],
    ['201 of them', { webhooks: Array(201).fill({}) }, 400, 'body.webhooks has more than 200'],
  ])('are refused for %s, and none is made', async (_, given, status, message) => {
    const { rest, doc, list } = await setUp()
    const good = { url, eventTypes: ['add'], tableId: 'Pets' }
    const body =
      'webhooks' in given || Object.keys(given).length === 0
        ? given
        : { webhooks: [{ fields: good }, { fields: { ...good, ...given } }] }
    const reply = await rest.post<object>(`${doc}/webhooks`, { body })
    expect([reply.status, JSON.parse(JSON.stringify(reply.body))]).toEqual([
      status,
      expect.objectContaining({ error: expect.any(String) as string }),
    ])
    expect(reply.raw.toString().replaceAll('\\"', '"')).toContain(message)
    expect(await list()).toEqual([])
  })

  it('stay as they are when a change is refused', async () => {
    const { createOne, list, patch } = await setUp()
    const id = await createOne({ name: 'a' })
    const before = await list()
    for (const [fields, status, error] of [
      [{ eventTypes: [] }, 400, 'eventTypes must be a non-empty array'],
      [{ tableId: 'Nope' }, 404, 'Table not found "Nope"'],
      [{ isReadyColumn: 'Nope' }, 404, 'Column not found "Nope"'],
      [{ enabled: 'yes' }, 400, 'Invalid payload: body.enabled is not a boolean'],
      [{ name: null }, 400, 'Invalid payload: body.name is not a string'],
      [
        { url: 'http://localhost/' },
        403,
        'Provided url is forbidden: it must be https to a public host, or to one in SHEAF_WEBHOOK_ALLOWED_HOSTS',
      ],
    ] as const)
      expect(await patch(id, { memo: 'x', ...fields })).toEqual([
        status,
        expect.objectContaining({ error }),
      ])
    expect((await patch('nosuchhook', { name: 'x' }))[0]).toBe(404)
    expect(await list()).toEqual(before)
  })

  it('follow renamed tables and columns, and stay when those are gone', async () => {
    const { rest, doc, createOne, list } = await setUp()
    await createOne({ isReadyColumn: 'Ready', watchedColIds: ['Name'] })
    const rename = (id: string, colId: string) =>
      rest.patch(`${doc}/tables/Pets/columns`, { body: { columns: [{ id, fields: { colId } }] } })
    await rename('Ready', 'Go')
    await rename('Name', 'Title')
    const tables = [{ id: 'Pets', fields: { tableId: 'Animals' } }]
    await rest.patch(`${doc}/tables`, { body: { tables } })
    const show = async () => {
      const { tableId, isReadyColumn, watchedColIds } = (await list())[0]?.fields ?? {}
      return [tableId, isReadyColumn, watchedColIds]
    }
    expect(await show()).toEqual(['Animals', 'Go', ['Title']])
    await rest.delete(`${doc}/tables/Animals/columns/Go`)
    expect(await show()).toEqual(['Animals', null, ['Title']])
    expect((await rest.post(`${doc}/tables/_grist_Tables/data/delete`, { body: [2] })).status).toBe(
      200,
    )
    expect(await show()).toEqual([null, null, []])
  })

  it('are made and deleted by the calls of older clients', async () => {
    const { rest, doc, list } = await setUp()
    const table = `${doc}/tables/Pets`
    const body = { url, eventTypes: ['add', 'update'], isReadyColumn: 'Ready' }
    const made = await rest.post<{ webhookId: string; unsubscribeKey: string }>(
      `${table}/_subscribe`,
      { body },
    )
    const { webhookId, unsubscribeKey } = made.body
    expect(made).toMatchObject({ status: 200, body: { triggerId: expect.any(Number) as number } })
    expect(await list()).toMatchObject([
      { id: webhookId, fields: { ...body, unsubscribeKey, tableId: 'Pets' } },
    ])
    const missing = await rest.post(`${table}/_subscribe`, { body: {} })
    expect(missing).toMatchObject({
      status: 400,
      body: { error: 'Invalid payload: body.url is missing' },
    })

    const delta = { users: { [system.dan.email]: 'editors' } }
    await rest.patch(`${doc}/access`, { body: { delta } })
    const asEditor = async (given: object) => {
      const reply = await system.dan.rest.post(`${table}/_unsubscribe`, { body: given })
      return [reply.status, reply.body]
    }
    const error = (status: number, text: string): unknown[] => [
      status,
      expect.objectContaining({ error: text }),
    ]
    expect(await asEditor({ webhookId })).toEqual(
      error(400, 'Bad request: unsubscribeKey required'),
    )
    expect(await asEditor({ webhookId, unsubscribeKey: 'x' })).toEqual(
      error(401, 'Wrong unsubscribeKey'),
    )
    expect(await asEditor({ webhookId: 'zz', unsubscribeKey })).toEqual(
      error(404, 'Webhook not found "zz"'),
    )
    expect(await asEditor({ webhookId, unsubscribeKey })).toEqual(done)
    const { body: other } = await rest.post<{ webhookId: string }>(`${table}/_subscribe`, { body })
    const byOwner = await rest.post(`${table}/_unsubscribe`, {
      body: { webhookId: other.webhookId },
    })
    expect([byOwner.status, byOwner.body]).toEqual(done)
    expect(await list()).toEqual([])
  })

  it('show their secrets to owners, and take another one', async () => {
    const { rest, doc, createOne } = await setUp()
    const path = `${doc}/webhooks/${await createOne()}/secret`
    const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string
    const first = await rest.get<{ secret: string }>(path)
    expect(first.body).toEqual({ secret, previousSecret: null, previousUntil: null })
    const rotated = await rest.post<{ secret: string }>(path)
    expect(rotated).toMatchObject({ status: 200, body: { secret } })
    expect((await rest.get(path)).body).toEqual({
      secret: rotated.body.secret,
      previousSecret: first.body.secret,
      previousUntil: expect.any(Number) as number,
    })
    expect((await rest.get(`${doc}/webhooks/nosuchhook/secret`)).status).toBe(404)
  })

  it('are kept by no cache, with what is secret of them', async () => {
    const { rest, doc, createOne } = await setUp()
    const id = await createOne({ authorization: 'Bearer abc' })
    for (const path of ['webhooks', `webhooks/${id}/secret`, `webhooks/${id}/deliveries`])
      expect((await rest.get(`${doc}/${path}`)).headers.get('cache-control')).toBe('no-store')
    const body = { url, eventTypes: ['add'] }
    const subscribed = await rest.post(`${doc}/tables/Pets/_subscribe`, { body })
    expect([subscribed.status, subscribed.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  it('stay with their document: a copy has none', async () => {
    const { rest, doc, createOne } = await setUp()
    await createOne({ enabled: false })
    await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Rex' }])
    const workspaceId = await homeWorkspace(rest)
    const copy = await rest.post<string>(`${doc}/copy`, {
      body: { workspaceId, documentName: 'Copy' },
    })
    expect(copy.status).toBe(200)
    expect((await rest.get(`/api/docs/${copy.body}/webhooks`)).body).toEqual({ webhooks: [] })
  })

  it('are refused to keys that only read, and gone with their document', async () => {
    const { rest, doc, createOne } = await setUp()
    const id = await createOne()
    const key = await rest.post<{ key: string }>('/api/profile/apikeys', {
      body: { name: 'reader', scope: { readOnly: true } },
    })
    expect(key.status).toBe(200)
    const headers = { authorization: `Bearer ${key.body.key}` }
    for (const path of ['webhooks', `webhooks/${id}/secret`])
      expect((await system.anonymous.get(`${doc}/${path}`, { headers })).status).toBe(403)
    expect((await rest.delete(doc)).status).toBe(200)
    expect((await rest.get(`${doc}/webhooks`)).status).toBe(404)
  })
})
