import { createRest, type Rest } from '@sheaf/testkit/rest'
import { addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let doc = ''
let rest: Rest

interface Views {
  readonly views: readonly { readonly id: number; readonly fields: Record<string, unknown> }[]
}

const path = (table = 'Orders') => `${doc}/tables/${table}/views`
const list = async (query: Record<string, unknown> = {}) =>
  (await rest.get<Views>(path(), { query })).body.views
const add = (...views: object[]) =>
  rest.post<Views>(path(), { body: { views: views.map((fields) => ({ fields })) } })
const reasonOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { details?: { reason?: string } }).details?.reason,
]

const open = {
  name: 'Open',
  filter: { Status: ['open'], Total: { gte: 2 } },
  sort: ['-Total'],
  columns: [
    { id: 'Total', width: 120 },
    { id: 'Status', hidden: true },
  ],
  wrapText: true,
  type: 'board',
  groupBy: ['-Status'],
  summaries: { Total: 'sum' },
  form: {
    ...{ title: 'Order', description: '', submit: '', message: '', again: true },
    fields: [{ id: 'Total', label: 'How many?', help: '', required: true, multiline: false }],
  },
}

beforeEach(async () => {
  ;({ rest } = system.alice)
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Orders', { Status: 'Text', Total: 'Int' })
  const records = [1, 2, 3].map((Total) => ({ fields: { Status: 'open', Total } }))
  await rest.post(`${doc}/tables/Orders/records`, { body: { records } })
})

describe('views of a table', () => {
  it('are added, listed, changed and deleted, and select records as they are', async () => {
    const added = await add({ name: 'All' }, open)
    expect(added).toMatchObject({ status: 200, body: { views: [{ id: 1 }, { id: 2 }] } })
    const [all, second] = await list()
    expect(all?.fields).toEqual({
      name: 'All',
      type: 'grid',
      position: 1,
      description: '',
      filter: {},
      sort: [],
      columns: [],
      frozenColumns: 0,
      rowHeight: 'short',
      wrapText: false,
      groupBy: [],
      summaries: {},
      form: { title: '', description: '', submit: '', message: '', again: false, fields: [] },
    })
    expect(second).toMatchObject({ id: 2, fields: { ...open, position: 2 } })
    const { filter, sort } = second?.fields ?? {}
    const selected = await rest.post<{ records: { id: number }[] }>(
      `${doc}/tables/Orders/records/list`,
      { body: { filter, sort } },
    )
    expect(selected.body.records.map(({ id }) => id)).toEqual([3, 2])
    const changes = [
      { id: 1, fields: { position: 9 } },
      { id: 2, fields: { name: 'Large', filter: {}, columns: [] } },
    ]
    expect((await rest.patch(path(), { body: { views: changes } })).status).toBe(200)
    expect((await list()).map(({ id, fields }) => [id, fields.name, fields.filter])).toEqual([
      [2, 'Large', {}],
      [1, 'All', {}],
    ])
    expect((await rest.delete(`${path()}/2`)).status).toBe(200)
    expect((await list()).map(({ id }) => id)).toEqual([1])
  })

  it('are in the change feed and the history, are undone, compared, and seen as of former moments', async () => {
    const { seq: before } = await latest()
    await add(open)
    await rest.patch(path(), { body: { views: [{ id: 1, fields: { name: 'Later' } }] } })
    const { seq, operations } = await latest()
    expect(operations).toMatchObject([
      {
        action: 'updateRows',
        tableId: '_sheaf_views',
        tableRef: -2,
        rowIds: [1],
        columns: { name: { old: ['Open'], new: ['Later'] } },
      },
    ])
    expect(await list({ asOf: seq - 1 })).toMatchObject([{ fields: { name: 'Open' } }])
    expect(await list({ asOf: before })).toEqual([])
    const compared = await rest.get<{ operations: object[]; nextCursor?: string }>(
      `${doc}/compare`,
      {
        query: { from: before },
      },
    )
    expect(compared.body.operations).toMatchObject([
      { action: 'addRows', tableId: '_sheaf_views', rowIds: [1] },
    ])
    const undone = await rest.post(`${doc}/changes/${seq}/revert`)
    expect(undone.status).toBe(200)
    expect(await list()).toMatchObject([{ fields: { name: 'Open' } }])
    expect((await rest.post(`${doc}/restore`, { body: { asOf: before } })).status).toBe(200)
    expect(await list()).toEqual([])
  })

  const latest = async () => {
    const { body } = await rest.get<{
      changes: { seq: number; operations: object[] }[]
    }>(`${doc}/history`, { query: { limit: 1 } })
    const [change] = body.changes
    return { seq: change?.seq ?? 0, operations: change?.operations ?? [] }
  }

  it('are pages of a comparison with what else differs', async () => {
    const { seq } = await latest()
    await add(open, { name: 'Other' })
    await rest.post(`${doc}/tables/Orders/records`, {
      body: { records: [{ fields: { Total: 9 } }] },
    })
    const rows: unknown[] = []
    let cursor: string | undefined
    do {
      const {
        body,
      }: {
        body: { operations: { tableId: string; rowIds: number[] }[]; nextCursor: string | null }
      } = await rest.get(`${doc}/compare`, { query: { from: seq, limit: 1, cursor } })
      for (const { tableId, rowIds } of body.operations) rows.push([tableId, rowIds])
      cursor = body.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(rows).toEqual([
      ['_sheaf_views', [1]],
      ['_sheaf_views', [2]],
      ['Orders', [4]],
    ])
    const { body } = await rest.get<{ tables: object[] }>(`${doc}/compare`, {
      query: { from: seq, summary: true },
    })
    expect(body.tables).toMatchObject([
      { tableId: '_sheaf_views', rows: { added: 2 } },
      { tableId: 'Orders', rows: { added: 1 } },
    ])
  })

  it('are copied with the document, with and without its history, and by a downloaded file', async () => {
    await add(open)
    const before = await list()
    const { body: workspaces } = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')
    const workspaceId = workspaces[0]?.id
    for (const asTemplate of [false, true]) {
      const body = { workspaceId, documentName: 'Copy', asTemplate }
      const copy = await rest.post<string>(`${doc}/copy`, { body })
      const { body: there } = await rest.get<Views>(`/api/docs/${copy.body}/tables/Orders/views`)
      expect(there.views).toEqual(before)
    }
    const file = await fetch(`${system.sheaf.url}${doc}/download`, {
      headers: { Authorization: `Bearer ${system.sheaf.ownerKey}` },
    })
    const form = new FormData()
    form.append('upload', await file.blob(), 'copy.grist')
    const imported = await rest.post<{ id: string }>(`/api/workspaces/${workspaceId}/import`, {
      body: form,
    })
    const { body } = await rest.get<Views>(`/api/docs/${imported.body.id}/tables/Orders/views`)
    expect(body.views).toEqual(before)
  })

  it('are tried without being kept, and refused when the document has changed', async () => {
    const body = { views: [{ fields: open }] }
    const tried = await rest.post<{ result: unknown; change: { operations: object[] } }>(path(), {
      body,
      query: { dryRun: true },
    })
    expect(tried.body).toMatchObject({
      dryRun: true,
      result: { views: [{ id: 1 }] },
      change: { operations: [{ action: 'addRows', tableId: '_sheaf_views' }] },
    })
    expect(await list()).toEqual([])
    const headers = { 'If-Match': '"00000000-0000-0000-0000-000000000000.1"' }
    expect((await rest.post(path(), { body, headers })).status).toBe(412)
    expect(await list()).toEqual([])
  })

  it('count as structure of their table for keys with caps', async () => {
    await addTable(rest, doc, 'Other', { A: 'Text' })
    const capped = async (caps: object) => {
      const made = await rest.post<{ key: string }>('/api/profile/apikeys', {
        body: { name: 'agent', scope: { caps } },
      })
      return createRest(system.sheaf.url, made.body.key)
    }
    const body = { views: [{ fields: { name: 'v' } }] }
    const without = await capped({ noStructure: true })
    expect(await without.post(path(), { body })).toMatchObject({ status: 403 })
    const others = await capped({ tables: ['Other'], rowsPerCall: 1 })
    expect(await others.post(path(), { body })).toMatchObject({ status: 403 })
    expect(await others.post(path('Other'), { body })).toMatchObject({ status: 200 })
    const changed = { views: [{ id: 1, fields: { name: 'w' } }] }
    expect(await others.patch(path('Other'), { body: changed })).toMatchObject({ status: 200 })
    expect(await others.delete(`${path('Other')}/1`)).toMatchObject({ status: 200 })
  })

  it.each<[string, unknown, number, string]>([
    ['no body', undefined, 400, 'INVALID_PAYLOAD'],
    ['no list', { views: {} }, 400, 'INVALID_PAYLOAD'],
    ['no view', { views: [] }, 400, 'INVALID_PAYLOAD'],
    ['too many views', { views: Array(101).fill({ fields: open }) }, 400, 'INVALID_PAYLOAD'],
    ['no name', { views: [{ fields: {} }] }, 400, 'INVALID_PAYLOAD'],
    ['a name with NUL', { views: [{ fields: { name: 'a\0' } }] }, 400, 'INVALID_PAYLOAD'],
    ['an unknown field', { views: [{ fields: { ...open, secret: 1 } }] }, 400, 'UNKNOWN_PROPERTY'],
    [
      'a field of another type',
      { views: [{ fields: { ...open, wrapText: 1 } }] },
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'an array for a filter',
      { views: [{ fields: { ...open, filter: [] } }] },
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'an unknown column',
      { views: [{ fields: { ...open, filter: { Statu: [1] } } }] },
      400,
      'UNKNOWN_COLUMN',
    ],
    [
      'a deep filter',
      { views: [{ fields: { ...open, filter: { Status: deep(80) } } }] },
      400,
      'INVALID_FILTER',
    ],
    [
      'a body that is nested too deeply',
      { views: [{ fields: { ...open, filter: { Status: deep(200) } } }] },
      400,
      'MALFORMED_JSON',
    ],
    [
      'an unknown sort key',
      { views: [{ fields: { ...open, sort: ['Nope'] } }] },
      400,
      'UNKNOWN_SORT_KEY',
    ],
    [
      'a name twice',
      { views: [{ fields: open }, { fields: { name: 'OPEN' } }] },
      409,
      'VIEW_NAME_TAKEN',
    ],
    ['a sheet', { views: [{ fields: { ...open, type: 'sheet' } }] }, 400, 'BAD_FIELD'],
    [
      'a huge width',
      { views: [{ fields: { ...open, columns: [{ id: 'Total', width: 1e9 }] } }] },
      400,
      'BAD_FIELD',
    ],
    [
      'a long filter',
      { views: [{ fields: { ...open, filter: { Status: ['x'.repeat(17_000)] } } }] },
      400,
      'BAD_FIELD',
    ],
  ])('are refused with %s, and nothing changes', async (_, body, status, reason) => {
    expect(reasonOf(await rest.post(path(), { body }))).toEqual([status, reason])
    expect(await list()).toEqual([])
  })

  it.each<[string, string, string]>([
    ['type', 'type', '"type":"sheet"'],
    ['filter', 'body.views[0].fields.filter.__proto__', '"filter":{"__proto__":["x"]}'],
  ])('with a bad %s are refused by its name: %s', async (_, field, setting) => {
    const body = `{"views":[{"fields":{"name":"Bad",${setting}}}]}`
    const headers = { 'content-type': 'application/json' }
    const reply = await rest.post(path(), { body, headers })
    expect(reply).toMatchObject({ status: 400, body: { details: { field } } })
    expect(await list()).toEqual([])
  })

  it('answer 404 for an unknown table or view, and 403 to viewers who write', async () => {
    await add(open)
    expect(reasonOf(await rest.get(path('Nope')))).toEqual([404, 'TABLE_NOT_FOUND'])
    expect(reasonOf(await rest.delete(`${path()}/2`))).toEqual([404, 'VIEW_NOT_FOUND'])
    expect((await rest.delete(`${path()}/x`)).status).toBe(400)
    expect(reasonOf(await rest.delete(`${path('Table1')}/1`))).toEqual([404, 'VIEW_NOT_FOUND'])
    const { dan } = system
    await rest.patch(`${doc}/access`, { body: { delta: { users: { [dan.email]: 'viewers' } } } })
    expect(await dan.rest.get(path())).toMatchObject({ status: 200, body: { views: [{ id: 1 }] } })
    expect((await dan.rest.delete(`${path()}/1`)).status).toBe(403)
    const patch = { body: { views: [{ id: 1, fields: { name: 'x' } }] } }
    expect((await dan.rest.patch(path(), patch)).status).toBe(403)
    const feed = await dan.rest.get(`${doc}/changes`, { query: { after: 0 } })
    expect(feed.status).toBe(200)
  })

  it('can be read as rows, and not written as such', async () => {
    await add(open)
    expect(await readRecords(rest, `${doc}/tables/_sheaf_views`)).toMatchObject([
      { id: 1, fields: { name: 'Open', wrapText: true } },
    ])
    const records = [{ id: 1, fields: { name: 'x' } }]
    const written = await rest.patch(`${doc}/tables/_sheaf_views/records`, { body: { records } })
    expect(reasonOf(written)).toEqual([400, 'TABLE_READ_ONLY'])
    const sql = await rest.get(`${doc}/sql`, { query: { q: 'SELECT * FROM _sheaf_views' } })
    expect(sql.status).toBe(400)
  })
})

/** A list in lists. */
function deep(levels: number): unknown[] {
  return levels === 0 ? [] : [deep(levels - 1)]
}
