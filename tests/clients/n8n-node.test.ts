import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { addTable, newDocument, useOwnSystem } from '../support/system'
import { allowLoopback } from '../support/webhooks'

// The requests of the nodes "Grist" and "Grist Trigger" of n8n, which does not run here, and what they read of
// the responses.

const system = useOwnSystem({ env: allowLoopback })
let docId = ''
let title = ''
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver?.[Symbol.asyncDispose]())

beforeEach(async () => {
  const { rest } = system.alice
  title = `Shop ${randomUUID()}`
  const doc = await newDocument(rest, title)
  docId = doc.replace('/api/docs/', '')
  await addTable(rest, doc, 'People', {
    Email: 'Text',
    Age: 'Int',
    Ready: 'Bool',
    Sizes: 'ChoiceList',
  })
})

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Sends a request as n8n does: JSON, no body if it would be empty, and no content type without a body. */
async function send(method: Method, endpoint: string, body?: unknown) {
  const { url, ownerKey } = system.sheaf
  const response = await fetch(`${url}/api${endpoint}`, {
    method,
    headers: {
      Authorization: `Bearer ${ownerKey}`,
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: JSON.parse(await response.text()) as unknown }
}

async function call<T>(method: Method, endpoint: string, body?: unknown): Promise<T> {
  const { status, json } = await send(method, endpoint, body)
  expect({ status, json }).toMatchObject({ status: 200 })
  return json as T
}

const records = () => `/docs/${docId}/tables/People/records`

interface Rows {
  readonly records: readonly { readonly id: number; readonly fields: object }[]
}

/** All rows, as the node outputs them. */
async function readRows(query = ''): Promise<object[]> {
  const { records: rows } = await call<Rows>('GET', `${records()}${query}`)
  return rows.map(({ id, fields }) => ({ id, ...fields }))
}

async function addPeople(...people: object[]): Promise<void> {
  for (const fields of people) await call('POST', records(), { records: [{ fields }] })
}

const ada = { Email: 'ada@example.com', Age: 36 }
const grace = { Email: 'grace@example.com', Age: 85 }

describe('the requests of the node of n8n', () => {
  it.each(['/orgs', '/orgs?limit=1'])('test a credential by GET %s', async (endpoint) => {
    expect((await call<unknown[]>('GET', endpoint)).length).toBeGreaterThan(0)
  })

  it('find the documents of every site, the tables of one, and its columns', async () => {
    const orgs = await call<{ id: number }[]>('GET', '/orgs')
    const found: { id: number | string; name: string }[] = []
    for (const { id } of orgs) {
      const workspaces = await call<{ docs?: typeof found }[]>('GET', `/orgs/${id}/workspaces`)
      found.push(...workspaces.flatMap(({ docs = [] }) => docs))
    }
    // The id of the list is what the later requests have in their path.
    const { id } = found.filter(({ name }) => name === title)[0] ?? {}
    expect(await call('GET', `/docs/${id}/tables`)).toMatchObject({
      tables: [{ id: 'Table1' }, { id: 'People' }],
    })
    const { columns } = await call<{ columns: { id: string; fields: object }[] }>(
      'GET',
      `/docs/${id}/tables/People/columns`,
    )
    expect(columns.map((column) => column.id)).toEqual(['Email', 'Age', 'Ready', 'Sizes'])
    expect(columns[0]?.fields).toMatchObject({
      ...{ type: 'Text', label: 'Email', isFormula: false, formula: '' },
      widgetOptions: expect.any(String) as string,
    })
  })

  it('create a row from each item, and get its id', async () => {
    const made = (fields: object) => call<Rows>('POST', records(), { records: [{ fields }] })
    expect((await made(ada)).records[0]?.id).toBe(1)
    expect((await made({ ...grace, Sizes: ['L', 'S'] })).records[0]?.id).toBe(2)
    // Values that are defined in the node are text.
    expect((await made({ Email: 'x', Age: '7', Ready: 'true' })).records[0]?.id).toBe(3)
    expect(await readRows()).toEqual([
      { id: 1, ...ada, Ready: false, Sizes: null },
      { id: 2, ...grace, Ready: false, Sizes: ['L', 'S'] },
      { id: 3, Email: 'x', Age: 7, Ready: true, Sizes: null },
    ])
  })

  it('read rows with a limit, an order and a filter', async () => {
    await addPeople(ada, grace, { Email: '7', Age: 7 })
    expect(await readRows('?limit=2')).toMatchObject([ada, grace])
    expect(await readRows('?limit=50&sort=-Age%2CEmail')).toMatchObject([grace, ada, { Age: 7 }])
    const filter = (value: object) => `?filter=${encodeURIComponent(JSON.stringify(value))}`
    expect(await readRows(filter({ Email: [ada.Email, grace.Email] }))).toMatchObject([ada, grace])
    expect(await readRows(filter({ Age: [7, 36] }))).toMatchObject([ada, { Age: 7 }])
  })

  it('update a row by its id', async () => {
    await addPeople(ada, grace)
    const change = { records: [{ id: 2, fields: { Age: '86' } }] }
    expect(await call('PATCH', records(), change)).toBeNull()
    const update = { records: [{ require: { id: 1 }, fields: { Sizes: ['L', 'S'] } }] }
    expect(await call('PUT', `${records()}?noadd=true`, update)).toMatchObject({ recordIds: [[1]] })
    const none = { records: [{ require: { Email: 'nobody' }, fields: { Age: 1 } }] }
    expect(await call('PUT', `${records()}?noadd=true`, none)).toMatchObject({ recordIds: [[]] })
    expect(await readRows()).toMatchObject([
      { ...ada, Sizes: ['L', 'S'] },
      { ...grace, Age: 86 },
    ])
  })

  it('add or update rows, and get the ids of each item', async () => {
    await addPeople(ada, ada)
    const upsert = (fields: object) => ({ require: { Email: ada.Email }, fields })
    const first = { records: [upsert({ Age: 37 }), { require: { Email: 'new' }, fields: grace }] }
    expect(await call('PUT', records(), first)).toMatchObject({ recordIds: [[1], [3]] })
    const all = { records: [upsert({ Email: ada.Email, Ready: true })] }
    expect(await call('PUT', `${records()}?onmany=all`, all)).toMatchObject({ recordIds: [[1, 2]] })
    expect(await readRows()).toMatchObject([
      { ...ada, Age: 37, Ready: true },
      { ...ada, Ready: true },
      grace,
    ])
  })

  it('delete rows by their ids', async () => {
    await addPeople(ada, grace, ada)
    expect(await call('POST', `/docs/${docId}/tables/People/data/delete`, [1, 3])).toBeNull()
    expect(await readRows()).toMatchObject([{ id: 2, ...grace }])
  })

  it('get the message of an error in `error`', async () => {
    const failed = await send('GET', `/docs/${docId}/tables/Nobody/records`)
    expect(failed).toMatchObject({ status: 404, json: { error: expect.any(String) as string } })
  })
})

interface Webhooks {
  readonly webhooks: readonly { readonly id: string; readonly fields?: { readonly url: string } }[]
}

describe('the requests of the trigger of n8n', () => {
  it('create a webhook, find it by its URL, and delete it', async () => {
    const endpoint = `/docs/${docId}/webhooks`
    const url = `${receiver.url}/webhook/${docId}`
    const findId = async () =>
      (await call<Webhooks>('GET', endpoint)).webhooks.find(({ fields }) => fields?.url === url)?.id
    expect(await findId()).toBeUndefined()
    const fields = {
      ...{ url, eventTypes: ['add', 'update'], tableId: 'People', isReadyColumn: null },
    }
    const made = await call<Webhooks>('POST', endpoint, { webhooks: [{ fields }] })
    const id = made.webhooks[0]?.id
    expect(id).toEqual(expect.any(String))
    expect(await findId()).toBe(id)

    await addPeople(ada)
    await eventually(() => {
      expect(receiver.rows(`/webhook/${docId}`)).toMatchObject([{ id: 1, ...ada }])
    })
    const [delivery] = receiver.deliveries.filter(({ path }) => path === `/webhook/${docId}`)
    expect(delivery?.headers['content-type']).toMatch(/^application\/json/)

    await call('DELETE', `${endpoint}/${id}`)
    expect(await findId()).toBeUndefined()
  })

  it('create a webhook for rows that a column marks as ready', async () => {
    const url = `${receiver.url}/ready/${docId}`
    const fields = { url, eventTypes: ['add', 'update'], tableId: 'People', isReadyColumn: 'Ready' }
    await call('POST', `/docs/${docId}/webhooks`, { webhooks: [{ fields }] })
    await addPeople(ada, { ...grace, Ready: true })
    await eventually(() => {
      expect(receiver.rows(`/ready/${docId}`)).toMatchObject([{ id: 2, ...grace }])
    })
  })
})
