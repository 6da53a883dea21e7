import { addTable, newDocument, useSystem } from '../support/system'

/*
 * The requests of n8n's nodes for the Grist API: the node that lists, adds, changes, removes, and adds or updates rows, and
 * the trigger, with their lists to choose from. A GET has no body; a body is JSON.
 */

const system = useSystem()
let docId = ''

beforeEach(async () => {
  const { rest } = system.alice
  const doc = await newDocument(rest, 'Guests')
  docId = doc.slice('/api/docs/'.length)
  await addTable(rest, doc, 'People', { First: 'Text', Email: 'Text', Age: 'Int', Ready: 'Bool' })
})

async function call<T>(
  method: string,
  endpoint: string,
  body: object = {},
  query: Record<string, string> = {},
): Promise<T> {
  const hasBody = Object.keys(body).length > 0
  const search = new URLSearchParams(query).toString()
  const response = await fetch(`${system.sheaf.url}/api${endpoint}${search && `?${search}`}`, {
    method,
    headers: {
      Authorization: `Bearer ${system.sheaf.ownerKey}`,
      accept: 'application/json',
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    body: hasBody ? JSON.stringify(body) : undefined,
  })
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

interface Row {
  readonly id: number
  readonly fields: Record<string, unknown>
}

const table = () => `/docs/${docId}/tables/People`
const readRows = (query: Record<string, string> = {}) =>
  call<{ records: Row[] }>('GET', `${table()}/records`, {}, query)

const ada = { First: 'Ada', Email: 'ada@example.com', Age: '36' }
const grace = { First: 'Grace', Email: 'grace@example.com', Age: '85' }

describe("n8n's node", () => {
  it('tests its credential, and offers documents, tables and columns to choose from', async () => {
    const orgs = await call<{ id: number }[]>('GET', '/orgs')
    const workspaces = await Promise.all(
      orgs.map(({ id }) =>
        call<{ docs: { id: string; name: string }[] }[]>('GET', `/orgs/${id}/workspaces`),
      ),
    )
    const names = workspaces.flat().flatMap(({ docs }) => docs.map(({ name }) => name))
    expect(names).toContain('Guests')
    const { tables } = await call<{ tables: { id: string }[] }>('GET', `/docs/${docId}/tables`)
    expect(tables.map(({ id }) => id)).toContain('People')
    const { columns } = await call<{ columns: { id: string; fields: { type: string } }[] }>(
      'GET',
      `${table()}/columns`,
    )
    expect(columns.map(({ id, fields: { type } }) => [id, type])).toEqual([
      ['First', 'Text'],
      ['Email', 'Text'],
      ['Age', 'Int'],
      ['Ready', 'Bool'],
    ])
  })

  it('adds, lists, changes and removes rows', async () => {
    const records = [{ fields: ada }, { fields: grace }]
    const added = await call<{ records: { id: number }[] }>('POST', `${table()}/records`, {
      records,
    })
    expect(added).toEqual({ records: [{ id: 1 }, { id: 2 }] })
    const query = { filter: JSON.stringify({ Email: ['grace@example.com'] }), sort: '-Age,First' }
    const found = await readRows({ ...query, limit: '50' })
    expect(found.records.map(({ id, fields }) => [id, fields.Age])).toEqual([[2, 85]])
    const change = { records: [{ id: 2, fields: { Age: 86 } }] }
    expect(await call('PATCH', `${table()}/records`, change)).toBeNull()
    expect(await call('POST', `${table()}/data/delete`, [1])).toBeNull()
    expect((await readRows()).records).toMatchObject([{ id: 2, fields: { Age: 86 } }])
  })

  it('adds or updates rows by columns to match on', async () => {
    const upsert = (fields: object) =>
      call(
        'PUT',
        `${table()}/records`,
        { records: [{ require: { Email: ada.Email }, fields }] },
        { onmany: 'all' },
      )
    await upsert({ First: 'Ada' })
    await upsert({ First: 'Ada Lovelace' })
    const { records } = await readRows()
    expect(records.map(({ fields: { First, Email } }) => [First, Email])).toEqual([
      ['Ada Lovelace', ada.Email],
    ])
  })
})

describe("n8n's trigger", () => {
  it('finds, creates and removes its webhook', async () => {
    const url = 'https://n8n.example.com/webhook/1'
    const webhooks = `/docs/${docId}/webhooks`
    expect(await call('GET', webhooks)).toEqual({ webhooks: [] })
    const fields = { url, eventTypes: ['add'], tableId: 'People', isReadyColumn: null }
    const created = await call<{ webhooks: { id: string }[] }>('POST', webhooks, {
      webhooks: [{ fields }],
    })
    const listed = await call<{ webhooks: { id: string; fields: object }[] }>('GET', webhooks)
    expect(listed.webhooks).toMatchObject([{ id: created.webhooks[0]?.id, fields }])
    await call('DELETE', `${webhooks}/${created.webhooks[0]?.id}`)
    expect(await call('GET', webhooks)).toEqual({ webhooks: [] })
  })
})
