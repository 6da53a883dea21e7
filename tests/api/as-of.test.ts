import type { Rest } from '@sheaf/testkit/rest'
import { addRecords, addTable, newDocument, useSystem } from '../support/system'

const system = useSystem()
let doc = ''

const get = (path: string, query: object = {}, headers = {}) =>
  system.alice.rest.get<Record<string, unknown>>(`${doc}${path}`, {
    query: query as Record<string, unknown>,
    headers,
  })

/** The position of the latest change. */
async function latest(): Promise<number> {
  const { body } = await system.alice.rest.get<{ changes: { seq: number }[] }>(`${doc}/history`, {
    query: { limit: 1 },
  })
  return body.changes[0]?.seq ?? 0
}

/** Reads in every form. Each path may have a query of its own. */
const reads = [
  '/tables',
  '/tables?expand=column',
  '/tables/Pets/columns',
  '/tables/Pets/columns/Twice/values',
  '/tables/Pets/records',
  '/tables/Pets/records?sort=-Age,Name&limit=2&count=true&cursor=',
  '/tables/Pets/records?filter={"Name":["Rex"]}',
  '/tables/Pets/data',
  '/sql?q=select Name, Age, Twice from Pets order by id',
  '/sql?q=select count(*) as n from Pets',
  '/download/csv?tableId=Pets',
  '/download/table-schema?tableId=Pets',
  '/attachments',
]

async function readAll(query: object = {}): Promise<unknown[]> {
  const answers = []
  for (const path of reads) {
    const [at = '', own = ''] = path.split('?')
    const { status, body, headers } = await get(at, {
      ...Object.fromEntries(new URLSearchParams(own)),
      ...query,
    })
    expect([path, status]).toEqual([path, 200])
    // A description links to the file of the same moment, and a cursor belongs to its moment.
    const text = JSON.stringify(body)
      .replace(/&asOf=\d+/g, '')
      .replace(/"nextCursor":"[^"]+"/, '"nextCursor":"signed"')
    answers.push([path, JSON.parse(text), headers.get('etag')])
  }
  return answers
}

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
  const twice = { id: 'Twice', fields: { type: 'Int', isFormula: true, formula: '$Age * 2' } }
  await rest.post(`${doc}/tables/Pets/columns`, { body: { columns: [twice] } })
  await addRecords(rest, `${doc}/tables/Pets`, [
    { Name: 'Rex', Age: 3 },
    { Name: 'Tom', Age: 5 },
    { Name: 'Ida', Age: 4 },
  ])
})

/** Without tags, which differ for the same contents at another position. */
const withoutTags = (answers: unknown[]) =>
  answers.map((answer) => (answer as unknown[]).slice(0, 2))

/** The tables, with columns and rows. */
async function shownNow(): Promise<unknown[]> {
  const paths = ['/tables?expand=column', '/tables/Pets/records', '/tables/Toys/records']
  return Promise.all(paths.map(async (path) => (await get(path)).body))
}

const change = async (fields: object, id = 1) => {
  const body = { records: [{ id, fields }] }
  await system.alice.rest.patch(`${doc}/tables/Pets/records`, { body })
  return latest()
}
const rows = async (query: object = {}, rest: Rest = system.alice.rest) => {
  const path = `${doc}/tables/Pets/records`
  const { body } = await rest.get<{
    records: { id: number; fields: Record<string, unknown> }[]
    nextCursor?: string
  }>(path, { query: query as Record<string, unknown> })
  return body
}
const ages = async (query: object = {}) =>
  (await rows(query)).records.map(({ fields }) => fields.Age)

describe('a read as of a former moment', () => {
  it('answers what the same read answered then, in every form', async () => {
    const { rest } = system.alice
    const table = `${doc}/tables/Pets`
    const changes = [
      () => rest.patch(`${table}/records`, { body: { records: [{ id: 1, fields: { Age: 9 } }] } }),
      () => rest.post(`${table}/records/delete`, { body: [2] }),
      () => addTable(rest, doc, 'Toys', { What: 'Text' }),
      () =>
        rest.patch(`${table}/columns`, {
          body: { columns: [{ id: 'Age', fields: { type: 'Text' } }] },
        }),
      () => rest.delete(`${table}/columns/Name`),
    ]
    const kept = new Map<number, unknown[]>()
    for (const change of changes.slice(0, 3)) {
      kept.set(await latest(), await readAll())
      await change()
    }
    kept.set(await latest(), await readAll())
    for (const change of changes.slice(3)) await change()
    for (const [seq, answers] of [...kept].reverse())
      expect([seq, await readAll({ asOf: seq })]).toEqual([seq, answers])
  })

  it('names its moment by a time as well, in any zone', async () => {
    const seq = await latest()
    const { body } = await system.alice.rest.get<{ changes: { time: string }[] }>(`${doc}/history`)
    const time = body.changes[0]?.time ?? ''
    await change({ Age: 30 })
    await change({ Age: 31 })
    const { headers } = await get('/tables/Pets/records', { asOf: time })
    expect(headers.get('etag')).toMatch(new RegExp(`\\.${seq}"$`))
    const local = new Date(Date.parse(time) + 2 * 3600_000).toISOString().replace('Z', '+02:00')
    expect(await ages({ asOf: local })).toEqual([3, 5, 4])
    expect(await ages({ asOf: new Date().toISOString() })).toEqual([31, 5, 4])
  })

  it('pages by cursors that stay valid while the document changes', async () => {
    const seq = await latest()
    await change({ Age: 1 })
    const query = { asOf: seq, sort: '-Age', limit: 2, cursor: '' }
    const first = await rows(query)
    expect(first.records.map(({ id }) => id)).toEqual([2, 3])
    await change({ Age: 100 })
    const second = await rows({ ...query, cursor: first.nextCursor })
    expect(second.records.map(({ id }) => id)).toEqual([1])
    const present = await get('/tables/Pets/records', {
      ...query,
      asOf: undefined,
      cursor: first.nextCursor,
    })
    expect([present.status, present.body.details]).toMatchObject([
      400,
      { reason: 'INVALID_CURSOR' },
    ])
  })

  it('has the same cursors, and pages, with and without a file of the moment', async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => ({ Age: i }))
    await addRecords(system.alice.rest, `${doc}/tables/Pets`, many)
    const seq = await latest()
    const page = { limit: 3, cursor: '' }
    const before = await rows(page)
    await change({ Age: 100 })
    await change({ Age: 200 }, 5)
    await system.alice.rest.post(`${doc}/tables/Pets/records/delete`, { body: [2] })
    const then = { ...page, asOf: seq }
    const first = await rows(then)
    expect(first.records).toEqual(before.records)
    const readOn = () => rows({ ...then, cursor: first.nextCursor })
    const second = await readOn()
    expect(second.records.map(({ id }) => id)).toEqual([4, 5, 6])
    expect(second.records[1]?.fields.Age).toBe(1)
    // SQL makes the file.
    expect((await get('/sql', { asOf: seq, q: 'select 1 as n' })).status).toBe(200)
    expect(await rows(then)).toEqual(first)
    expect(await readOn()).toEqual(second)
  })

  it('has the formats, the downloads and the queries in a body of a present one', async () => {
    const seq = await latest()
    const forms = ['application/x-ndjson', 'text/csv', 'application/vnd.apache.arrow.stream']
    const downloads = ['/download', '/download/xlsx', '/download/csv?tableId=Pets']
    const readForms = async (asOf?: number) => {
      const query = asOf === undefined ? '' : `asOf=${asOf}`
      const found = []
      for (const accept of forms) {
        const path = `${doc}/tables/Pets/records?${query}`
        found.push((await system.alice.rest.get(path, { headers: { accept } })).raw)
      }
      for (const path of downloads) {
        const joined = `${doc}${path}${path.includes('?') ? '&' : '?'}${query}`
        found.push((await system.alice.rest.get(joined)).raw)
      }
      return found
    }
    const now = await readForms()
    await change({ Age: 30 })
    const then = await readForms(seq)
    // The file of SQLite has pages of its own, and that of Excel a time.
    for (const i of [0, 1, 2, 5]) expect(then[i]).toEqual(now[i])
    expect(then[3]?.subarray(0, 15).toString()).toBe('SQLite format 3')
    expect(then[4]?.subarray(0, 2).toString()).toBe('PK')
    const sql = { sql: 'select Age from Pets where Name = ?', args: ['Rex'] }
    const { body } = await system.alice.rest.post(`${doc}/sql?asOf=${seq}`, { body: sql })
    expect(body).toMatchObject({ records: [{ fields: { Age: 3 } }] })
    const selected = await system.alice.rest.post(`${doc}/tables/Pets/records/list?asOf=${seq}`, {
      body: { limit: 1 },
    })
    expect(selected.body).toMatchObject({ records: [{ fields: { Age: 3 } }] })
  })

  it('needs the role of an editor', async () => {
    const seq = await latest()
    await change({ Age: 30 })
    const { email } = system.dan
    const share = (role: string) =>
      system.alice.rest.patch(`${doc}/access`, { body: { delta: { users: { [email]: role } } } })
    await share('viewers')
    const read = () =>
      system.dan.rest.get<{ details?: object }>(`${doc}/tables/Pets/records`, {
        query: { asOf: seq },
      })
    const refused = await read()
    expect([refused.status, refused.body.details]).toMatchObject([
      403,
      { reason: 'PAST_ACCESS_DENIED' },
    ])
    await share('editors')
    expect(await read()).toMatchObject({ status: 200 })
  })

  it('is refused for what is no moment of the document, and by calls that know the present alone', async () => {
    const seq = await latest()
    const reasonOf = async (path: string, query: object) => {
      const { status, body } = await get(path, query)
      return [status, (body.details as { reason?: string } | undefined)?.reason]
    }
    const records = '/tables/Pets/records'
    for (const asOf of ['', '0', '-1', '1.5', 'yesterday', '2026-01-01', '2026-01-01T00:00:00'])
      expect([asOf, ...(await reasonOf(records, { asOf }))]).toEqual([
        asOf,
        400,
        'INVALID_PARAMETER',
      ])
    for (const asOf of [seq + 1, '2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])
      expect([asOf, ...(await reasonOf(records, { asOf }))]).toEqual([
        asOf,
        400,
        'MOMENT_NOT_FOUND',
      ])
    const { body } = await get(records, { asOf: '2000-01-01T00:00:00Z' })
    expect(body.error).toMatch(/the oldest moment is change 1, of \d{4}-/)
    expect(await reasonOf(records, { asof: seq })).toEqual([400, 'INVALID_PARAMETER'])
    expect(await reasonOf('/history', { asOf: seq })).toEqual([400, 'INVALID_PARAMETER'])
    expect(await reasonOf('', { asOf: seq })).toEqual([400, 'INVALID_PARAMETER'])
    const added = await system.alice.rest.post<{ details: object }>(
      `${doc}${records}?asOf=${seq}`,
      { body: { records: [{ fields: {} }] } },
    )
    expect([added.status, added.body.details]).toMatchObject([400, { reason: 'INVALID_PARAMETER' }])
    expect(await latest()).toBe(seq)
  })
})

describe('a copy of a former moment', () => {
  it('is a document of its own, whose formulas follow its changes', async () => {
    const { rest } = system.alice
    const seq = await latest()
    await change({ Age: 30 })
    await rest.delete(`${doc}/tables/Pets/columns/Name`)
    const { body } = await rest.get<{ workspace: { id: number } }>(doc)
    const made = await rest.post<string>(`${doc}/copy?asOf=${seq}`, {
      body: { workspaceId: body.workspace.id, documentName: 'Then' },
    })
    expect(made.status).toBe(200)
    doc = `/api/docs/${made.body}`
    expect(await ages()).toEqual([3, 5, 4])
    await change({ Age: 7 })
    expect((await rows()).records.map(({ fields }) => fields.Twice)).toEqual([14, 10, 8])
    expect((await rows()).records[0]?.fields.Name).toBe('Rex')
  })
})

describe('restoring a moment', () => {
  const restore = (body: object, query = '', rest: Rest = system.alice.rest) =>
    rest.post<{ seq?: number; change?: { operations: object[] } | null; details?: object }>(
      `${doc}/restore${query}`,
      { body },
    )

  it('undoes all later changes by one, which can be undone', async () => {
    const { rest } = system.alice
    const before = await readAll()
    const seq = await latest()
    await change({ Age: 30, Name: 'Max' })
    await rest.post(`${doc}/tables/Pets/records/delete`, { body: [2] })
    await addTable(rest, doc, 'Toys', { What: 'Text' })
    await rest.delete(`${doc}/tables/Pets/columns/Name`)
    const after = await shownNow()
    const last = await latest()
    expect(await restore({ asOf: seq })).toMatchObject({ status: 200, body: { seq: last + 1 } })
    expect(withoutTags(await readAll())).toEqual(withoutTags(before))
    await rest.post(`${doc}/changes/${last + 1}/revert`)
    expect(await shownNow()).toEqual(after)
  })

  it('shows what it would change when it is tried', async () => {
    const seq = await latest()
    await change({ Age: 30 })
    const { body } = await restore({ asOf: seq }, '?dryRun=true')
    expect(body.change?.operations).toMatchObject([
      { action: 'updateRows', columns: { Age: { old: [30], new: [3] } } },
      { action: 'updateRows', columns: { Twice: { old: [60], new: [6] } } },
    ])
    expect(await ages()).toEqual([30, 5, 4])
  })

  it('restores one table, and leaves the others as they are', async () => {
    const { rest } = system.alice
    await addTable(rest, doc, 'Toys', { What: 'Text' })
    const seq = await latest()
    await change({ Age: 30 })
    await addRecords(rest, `${doc}/tables/Toys`, [{ What: 'Ball' }])
    await restore({ asOf: seq, tableId: 'Pets' })
    expect(await ages()).toEqual([3, 5, 4])
    const toys = await rest.get(`${doc}/tables/Toys/records`)
    expect(toys.body).toMatchObject({ records: [{ fields: { What: 'Ball' } }] })
  })

  it('changes nothing when nothing has changed since', async () => {
    const seq = await latest()
    expect(await restore({ asOf: seq })).toMatchObject({ status: 200, body: { seq } })
    expect(await latest()).toBe(seq)
  })

  it('is refused for viewers, and for what is no moment or no table', async () => {
    const { email } = system.dan
    await system.alice.rest.patch(`${doc}/access`, {
      body: { delta: { users: { [email]: 'viewers' } } },
    })
    const seq = await latest()
    const statusOf = async (body: object, rest?: Rest) => {
      const answer = await restore(body, '', rest)
      return [answer.status, (answer.body.details as { reason?: string } | undefined)?.reason]
    }
    expect(await statusOf({ asOf: 1 }, system.dan.rest)).toEqual([403, 'ACCESS_DENIED'])
    expect((await statusOf({}))[0]).toBe(400)
    expect((await statusOf({ asOf: 'then' }))[0]).toBe(400)
    expect(await statusOf({ asOf: seq + 9 })).toEqual([400, 'MOMENT_NOT_FOUND'])
    expect((await statusOf({ asOf: 1, tableId: 'Nope' }))[0]).toBe(404)
    expect((await statusOf({ asOf: 1, tableId: '' }))[0]).toBe(400)
    const attachments = { asOf: 1, tableId: '_grist_Attachments' }
    expect(await statusOf(attachments)).toEqual([400, 'NOT_REVERTIBLE'])
    expect(await latest()).toBe(seq)
  })
})
