import { cut, json, refuse, startServer, type ScriptedServer } from '../tests/scripted-server.ts'
import { NotFoundError, Sheaf } from './index.ts'

const retry = { firstDelayMs: 1, maxDelayMs: 2 }
const createDoc = ({ url }: ScriptedServer) => new Sheaf({ url, retry }).doc('d')
const bodies = ({ seen }: ScriptedServer) => seen.map(({ body }) => JSON.parse(body) as unknown)
const record = (id: number) => ({ id, fields: { Name: `n${id}` } })

describe('records', () => {
  it('are read page by page, each page when it is needed, also after a page that broke', async () => {
    await using server = await startServer(
      json({ records: [record(1), record(2)], nextCursor: 'c2' }),
      cut('{"records":['),
      json({ records: [record(3)], nextCursor: null }),
    )
    const people = createDoc(server).table('People')
    const rows = people.list({
      filter: { Name: ['a'] },
      sort: '-Name',
      offset: 5,
      fields: ['Name'],
    })
    await rows.next()
    await rows.next()
    expect(server.seen).toHaveLength(1)
    expect((await rows.next()).value).toEqual(record(3))
    expect(await rows.next()).toEqual({ done: true, value: undefined })
    const selection = { filter: { Name: ['a'] }, sort: ['-Name'], fields: ['Name'], limit: 500 }
    const second = { ...selection, cursor: 'c2' }
    expect(bodies(server)).toEqual([{ ...selection, offset: 5, cursor: '' }, second, second])
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/api/docs/d/tables/People/records/list',
    })
  })

  it('are counted by the values of a column', async () => {
    const counted = { values: [{ value: 'red', count: 2 }], total: 1 }
    await using server = await startServer(json(counted), json(counted))
    const people = createDoc(server).table('People')
    expect(
      await people.values('Favourite colour', { filter: { Age: { gt: 1 } }, limit: 5 }),
    ).toEqual(counted)
    await people.values('Team')
    const path = '/api/docs/d/tables/People/columns'
    const filter = encodeURIComponent('{"Age":{"gt":1}}')
    expect(server.seen.map(({ method, url }) => [method, url])).toEqual([
      ['GET', `${path}/Favourite%20colour/values?filter=${filter}&limit=5`],
      ['GET', `${path}/Team/values`],
    ])
  })

  it('are counted in groups', async () => {
    const counts = { count: 2, aggregates: { Price: { sum: 5 } } }
    const found = { groups: [{ value: 'red', ...counts }], truncated: false, total: counts }
    await using server = await startServer(json(found), json(found))
    const people = createDoc(server).table('People')
    const aggregate = { Price: ['sum', 'average'], Age: ['max'], Name: [] } as const
    const selection = { groupBy: ['Team', '-Age'], aggregate, search: 'x', limit: 5 } as const
    expect(await people.groups(selection)).toEqual(found)
    await people.groups()
    const query = new URLSearchParams(server.seen[0]?.url?.split('?')[1])
    expect(Object.fromEntries(query)).toEqual({
      groupBy: 'Team,-Age',
      aggregate: 'Price:sum;average,Age:max',
      search: 'x',
      limit: '5',
    })
    expect(server.seen[1]?.url).toBe('/api/docs/d/tables/People/groups')
  })

  it('are read up to a limit', async () => {
    const records = Array.from({ length: 500 }, (_, index) => record(index))
    await using server = await startServer(
      json({ records, nextCursor: 'c' }),
      json({ records: records.slice(0, 20), nextCursor: 'd' }),
    )
    const people = createDoc(server).table('People')
    expect(await people.all({ limit: 520 })).toHaveLength(520)
    expect(bodies(server)).toMatchObject([{ limit: 500 }, { limit: 20, cursor: 'c' }])
    expect(await people.all({ limit: 0 })).toEqual([])
    expect(server.seen).toHaveLength(2)
  })

  it('are read as one page with the state of the document', async () => {
    const page = { records: [record(1)], nextCursor: 'c', totalCount: 9 }
    await using server = await startServer(json(page, { etag: 'W/"ab12.41"' }))
    const read = createDoc(server).table('People').page({ limit: 1, count: true })
    expect(await read).toEqual({ ...page, etag: 'W/"ab12.41"', seq: 41 })
  })

  it('are read as one page some rows after a cursor, and as of a former moment', async () => {
    await using server = await startServer(json({ records: [], nextCursor: null }))
    await createDoc(server).table('People').page({ cursor: 'c', offset: 20, limit: 10, asOf: 7 })
    expect(bodies(server)).toEqual([{ cursor: 'c', offset: 20, limit: 10 }])
    expect(server.seen[0]?.url).toBe('/api/docs/d/tables/People/records/list?asOf=7')
  })

  it('are found by their row id', async () => {
    await using server = await startServer(
      json({ records: [record(3)], nextCursor: null }),
      json({ records: [], nextCursor: null }),
    )
    const people = createDoc(server).table('A/B')
    expect(await people.find(3)).toEqual(record(3))
    expect(await people.find(4)).toBeUndefined()
    expect(bodies(server)).toMatchObject([{ filter: { id: [3] } }, { filter: { id: [4] } }])
    expect(server.seen[0]?.url).toBe('/api/docs/d/tables/A%2FB/records/list')
  })

  it('are updated, added or updated, and deleted', async () => {
    await using server = await startServer(
      json(null),
      json({ recordIds: [[1], [2]], addRecordIds: [2], updateRecordIds: [[1]] }),
      json(null),
    )
    const people = createDoc(server).table('People')
    await people.update([{ id: 1, fields: { Name: 'b' }, expect: { Name: 'a' } }])
    const require = [{ require: { Name: 'a' } }, { require: { Name: 'b' } }]
    const written = await people.addOrUpdate(require, { onMany: 'all', allowEmptyRequire: true })
    expect(written).toEqual({ records: [[1], [2]], added: [2], updated: [1] })
    await people.delete([1, 2])
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PATCH /api/docs/d/tables/People/records',
      'PUT /api/docs/d/tables/People/records?onmany=all&allow_empty_require=true',
      'POST /api/docs/d/tables/People/records/delete',
    ])
    expect(bodies(server)[2]).toEqual([1, 2])
    for (const { headers } of server.seen) expect(headers['idempotency-key']).toBeDefined()
  })
})

describe('a batch', () => {
  const operations = [{ op: 'deleteRecords', table: 'People', records: [{ id: 1 }] }] as const
  const result = { operations: [], tempIds: {}, seq: 3, isModification: true }

  it('has a key, and resolves to its results with the ETag', async () => {
    await using server = await startServer(cut(), json(result, { etag: 'W/"a.3"' }))
    expect(await createDoc(server).batch(operations)).toEqual({ ...result, etag: 'W/"a.3"' })
    const keys = server.seen.map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
    expect(server.seen[0]?.url).toBe('/api/docs/d/batch')
  })
})

describe('a document', () => {
  it('changes its tables and columns', async () => {
    const ids = { tables: [{ id: 'People' }], columns: [{ id: 'Born' }] }
    await using server = await startServer(json(ids))
    const doc = createDoc(server)
    const { columns } = doc.table('People')
    expect(await doc.tables({ columns: true })).toEqual(ids.tables)
    expect(await doc.addTables([{ id: 'People', columns: [] }])).toEqual(['People'])
    await doc.updateTables([{ id: 'People', fields: { tableId: 'Staff' } }])
    await doc.removeTables(['Staff'])
    expect(await columns.list({ hidden: true })).toEqual(ids.columns)
    expect(await columns.add([{ id: 'Born' }])).toEqual(['Born'])
    await columns.update([{ id: 'Born', fields: { colId: 'Birthday' } }])
    await columns.addOrUpdate([{ id: 'Born', fields: {} }], { replaceAll: true })
    await columns.delete('Birth day')
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/docs/d/tables?expand=column',
      'POST /api/docs/d/tables',
      'PATCH /api/docs/d/tables',
      'POST /api/docs/d/batch',
      'GET /api/docs/d/tables/People/columns?hidden=true',
      'POST /api/docs/d/tables/People/columns',
      'PATCH /api/docs/d/tables/People/columns',
      'PUT /api/docs/d/tables/People/columns?replaceall=true',
      'DELETE /api/docs/d/tables/People/columns/Birth%20day',
    ])
    const writes = server.seen.filter(({ method }) => method !== 'GET')
    for (const { headers } of writes) expect(headers['idempotency-key']).toBeDefined()
  })

  it('applies actions and restores a former moment, each with a key', async () => {
    const applied = { actionNum: 7, retValues: [3], isModification: true }
    await using server = await startServer(cut(), json(applied), json({ seq: 8 }))
    const doc = createDoc(server)
    const actions = [['AddRecord', 'People', null, { Name: 'Ann' }]] as const
    expect(await doc.apply(actions)).toEqual(applied)
    expect(await doc.restore('2026-03-01T09:30:00Z')).toBe(8)
    expect(await doc.restore(5, { tableId: 'People', ifMatch: 'W/"a.8"' })).toBe(8)
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/docs/d/apply',
      '/api/docs/d/apply',
      '/api/docs/d/restore',
      '/api/docs/d/restore',
    ])
    expect(bodies(server).slice(1)).toEqual([
      actions,
      { asOf: '2026-03-01T09:30:00Z' },
      { asOf: 5, tableId: 'People' },
    ])
    const keys = server.seen.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toBe(keys[1])
    expect(new Set(keys).size).toBe(3)
    expect(server.seen[3]?.headers['if-match']).toBe('W/"a.8"')
  })

  it('shows its tables and columns as of a former moment, and its present position', async () => {
    const ids = { tables: [{ id: 'People' }], columns: [] }
    await using server = await startServer(json(ids, { etag: 'W/"ab12.41"' }))
    const doc = createDoc(server)
    expect(await doc.tables({ asOf: 7 })).toEqual(ids.tables)
    expect(await doc.table('People').columns.list({ asOf: 7, hidden: true })).toEqual([])
    expect(await doc.position()).toEqual({ seq: 41, etag: 'W/"ab12.41"' })
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/docs/d/tables?asOf=7',
      'GET /api/docs/d/tables/People/columns?hidden=true&asOf=7',
      'GET /api/docs/d/tables',
    ])
  })

  it('answers SQL with rows, and repeats it', async () => {
    await using server = await startServer(cut(), json({ records: [{ fields: { n: 2 } }] }))
    const statement = 'select count(*) as n from People where Born > ?'
    const rows = await createDoc(server).sql<{ n: number }>(statement, [0], { timeoutMs: 50 })
    expect(rows).toEqual([{ n: 2 }])
    expect(bodies(server)[1]).toEqual({ sql: statement, args: [0], timeout: 50 })
  })

  it('has a history, also through pages without changes, and undoes a change', async () => {
    await using server = await startServer(
      json({ changes: [{ seq: 9 }], next: 8 }),
      json({ changes: [], next: 3 }),
      json({ changes: [{ seq: 2 }], next: null }),
      json({ seq: 10 }),
    )
    const doc = createDoc(server)
    const found: number[] = []
    for await (const { seq } of doc.history({ tableId: 'People', rowId: 1, limit: 5 }))
      found.push(seq)
    expect(found).toEqual([9, 2])
    expect(await doc.undo(9)).toBe(10)
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/docs/d/history?tableId=People&rowId=1&limit=5',
      '/api/docs/d/history?tableId=People&rowId=1&before=8&limit=4',
      '/api/docs/d/history?tableId=People&rowId=1&before=3&limit=4',
      '/api/docs/d/changes/9/revert',
    ])
    expect(server.seen[3]?.headers['idempotency-key']).toBeDefined()
  })

  it('is listed and created in workspaces', async () => {
    const docs = [{ id: 3, name: 'Test' }]
    await using server = await startServer(json([{ id: 1, docs }]), json(1), json('new'))
    const sheaf = new Sheaf({ url: server.url })
    expect(await sheaf.documents.list({ org: 'team' })).toEqual(docs)
    expect(await sheaf.workspaces.create('Home')).toBe(1)
    const { id } = await sheaf.documents.create({ workspaceId: 1, name: 'Test' })
    expect(id).toBe('new')
    expect(server.seen.map(({ url, body }) => `${url} ${body}`)).toEqual([
      '/api/orgs/team/workspaces ',
      '/api/orgs/current/workspaces {"name":"Home"}',
      '/api/workspaces/1/docs {"name":"Test"}',
    ])
  })

  it('is read in other formats, with errors as of other calls', async () => {
    await using server = await startServer(
      cut(),
      (response) => response.end('id,Name\n'),
      refuse(404, 'TABLE_NOT_FOUND'),
    )
    const sheaf = new Sheaf({ url: server.url, retry })
    const call = { method: 'GET', path: '/api/x', headers: { accept: 'text/csv' } } as const
    expect(await (await sheaf.fetch(call)).text()).toBe('id,Name\n')
    expect(server.seen[1]?.headers.accept).toBe('text/csv')
    await expect(sheaf.fetch(call)).rejects.toBeInstanceOf(NotFoundError)
  })

  it('is reached by calls without a method of their own, with headers of a custom fetch', async () => {
    await using server = await startServer(json(null))
    const sheaf = new Sheaf({
      url: server.url,
      fetch: (url, init) => {
        const headers = new Headers(init.headers)
        headers.set('x-csrf-token', 't')
        return fetch(url, { ...init, headers })
      },
    })
    await sheaf.request({ method: 'PATCH', path: '/api/docs/d/pin', query: { a: 1, b: undefined } })
    expect(server.seen[0]).toMatchObject({
      method: 'PATCH',
      url: '/api/docs/d/pin?a=1',
      headers: { 'x-csrf-token': 't' },
    })
  })
})
