import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { openServerEvents } from '../support/server-events'
import { addRecords, addTable, newDocument, useOwnSystem } from '../support/system'

const system = useOwnSystem({ env: { SHEAF_CHANGE_STREAMS: '16' } })
let doc = ''
let viewer: Rest
let viewerKey = ''

interface Operation {
  action: string
  tableId: string
  rowIds?: number[]
  columns?: Record<string, { old?: unknown[]; new?: unknown[] }>
  old?: object
  new?: object
}
interface Change {
  seq: number
  time: string
  userId: number
  cause: string
  operations: Operation[]
}
interface Changes {
  changes: Change[]
  latest: number
  error?: string
  details?: Record<string, string>
}

const share = (path: string, email: string, role: string | null) =>
  system.alice.rest.patch(`${path}/access`, { body: { delta: { users: { [email]: role } } } })

beforeAll(async () => {
  const { rest } = system.alice
  const made = await system.sheaf.createUser('vera@example.com', 'Vera')
  viewerKey = made.key
  viewer = createRest(system.sheaf.url, made.key)
  doc = await newDocument(rest)
  await share(doc, 'vera@example.com', 'viewers')
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
  await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Rex', Age: 3 }])
  await rest.patch(`${doc}/tables/Pets/records`, {
    body: { records: [{ id: 1, fields: { Age: 4 } }] },
  })
  await rest.patch(`${doc}/tables/Pets/columns`, {
    body: { columns: [{ id: 'Age', fields: { label: 'Years' } }] },
  })
})

const list = (query: object = {}, rest: Rest = system.alice.rest) =>
  rest.get<Changes>(`${doc}/changes`, { query: query as Record<string, unknown> })

const openEvents = (path: string, key: string, headers: Record<string, string> = {}) =>
  openServerEvents(`${system.sheaf.url}${path}`, key, headers)

describe('changes of a document', () => {
  it('are listed in order, with old and new values', async () => {
    const { status, body, headers } = await list()
    expect(status).toBe(200)
    expect(headers.get('etag')).toMatch(/^W\/"[\w-]+\.5"$/)
    expect(body.latest).toBe(5)
    expect(body.changes.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(body.changes[0]?.operations[0]).toMatchObject({ action: 'addTable', tableId: 'Table1' })
    expect(body.changes[3]).toEqual({
      seq: 4,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      userId: system.alice.id,
      keyId: expect.any(Number) as number,
      cause: 'api',
      operations: [
        {
          action: 'updateRows',
          tableId: 'Pets',
          tableRef: 2,
          rowIds: [1],
          columns: { Age: { colRef: expect.any(Number) as number, old: [3], new: [4] } },
        },
      ],
    })
    expect(body.changes[4]?.operations[0]).toMatchObject({
      action: 'updateColumn',
      old: { colId: 'Age', label: 'Age' },
      new: { colId: 'Years', label: 'Years' },
    })
  })

  it('are read on from a position, a bounded number', async () => {
    expect((await list({ since: 3 })).body.changes.map(({ seq }) => seq)).toEqual([4, 5])
    expect((await list({ since: 1, limit: 2 })).body.changes.map(({ seq }) => seq)).toEqual([2, 3])
    expect((await list({ since: 5 })).body).toEqual({ changes: [], latest: 5 })
  })

  it.each<[Record<string, unknown>]>([
    [{ since: -1 }],
    [{ since: 'x' }],
    [{ since: 6 }],
    [{ limit: 0 }],
    [{ limit: 1001 }],
  ])('are refused for %j', async (query) => {
    const { status, body } = await list(query)
    expect(status).toBe(400)
    expect(body.details).toMatchObject({
      reason: 'INVALID_PARAMETER',
      parameter: Object.keys(query)[0],
    })
  })

  it('show viewers what is, and not what was before', async () => {
    const { status, body, headers } = await list({}, viewer)
    expect(status).toBe(200)
    expect(headers.get('etag')).toMatch(/^W\/"[\w-]+\.5-new"$/)
    expect(body.changes[3]?.operations[0]?.columns).toMatchObject({ Years: { new: [4] } })
    expect(JSON.stringify(body)).not.toContain('"old"')
    expect((await list({}, system.dan.rest)).status).toBe(403)
  })

  it('never show viewers an overwritten value, a former name, or what was removed', async () => {
    const { rest } = system.alice
    const own = await newDocument(rest)
    await share(own, 'vera@example.com', 'viewers')
    await addTable(rest, own, 'Former', { PastName: 'Text', PastColumn: 'Text' })
    await addRecords(rest, `${own}/tables/Former`, [
      { PastName: 'overwritten', PastColumn: 'removed column' },
      { PastName: 'removed row' },
    ])
    await rest.patch(`${own}/tables/Former/records`, {
      body: { records: [{ id: 1, fields: { PastName: 'overwritten too' } }] },
    })
    await rest.patch(`${own}/tables/Former/records`, {
      body: { records: [{ id: 1, fields: { PastName: 'present' } }] },
    })
    await rest.post(`${own}/tables/Former/records/delete`, { body: [2] })
    await rest.delete(`${own}/tables/Former/columns/PastColumn`)
    await rest.patch(`${own}/tables/Former/columns`, {
      body: { columns: [{ id: 'PastName', fields: { label: 'Name' } }] },
    })
    await rest.patch(`${own}/tables`, {
      body: { tables: [{ id: 'Former', fields: { tableId: 'Now' } }] },
    })
    await addTable(rest, own, 'PastTable', { A: 'Text' })
    await rest.post(`${own}/tables/_grist_Tables/data/delete`, { body: [3] })

    const past = /overwritten|removed (row|column)|Former|Past(Name|Column|Table)/
    const whole = await rest.get<Changes>(`${own}/changes`)
    expect(whole.text).toMatch(past)
    const seen = await viewer.get<Changes>(`${own}/changes`)
    expect(seen.text).not.toMatch(past)
    expect(seen.text).toContain('"new":["present"]')
    expect(seen.body.changes.map(({ seq }) => seq)).toEqual(
      whole.body.changes.map(({ seq }) => seq),
    )
    const stream = await openEvents(`${own}/changes`, viewerKey)
    await eventually(() => expect(stream.seqs()).toHaveLength(whole.body.latest))
    stream.close()
    expect(JSON.stringify(stream.events)).not.toMatch(past)
    const lines = { headers: { accept: 'application/x-ndjson' } }
    expect((await viewer.get(`${own}/changes`, lines)).text).not.toMatch(past)
    expect((await viewer.get(`${own}/history`)).status).toBe(403)
    expect((await viewer.get(`${own}/download`)).text).not.toMatch(past)
  })

  it('come as lines', async () => {
    const accept = { accept: 'application/x-ndjson' }
    const reply = await system.alice.rest.get(`${doc}/changes`, { headers: accept })
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson')
    expect(reply.text.endsWith('\n')).toBe(true)
    const lines = reply.text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as Change)).toEqual((await list()).body.changes)
    const none = await system.alice.rest.get(`${doc}/changes?since=5`, { headers: accept })
    expect(none.text).toBe('')
  })

  it('are whole however large they are', async () => {
    const { rest } = system.alice
    const large = await newDocument(rest)
    await addTable(rest, large, 'Texts', { T: 'Text' })
    const texts = Array.from({ length: 2_000 }, (_, i) => `${i} "${'é\n'.repeat(1_000)}"`)
    const rows = texts.map((T) => ({ T }))
    await addRecords(rest, `${large}/tables/Texts`, rows)
    const { body } = await rest.get<Changes>(`${large}/changes`, { query: { since: 2 } })
    expect(body.changes).toHaveLength(1)
    const operations = body.changes[0]?.operations ?? []
    expect(operations.length).toBeGreaterThan(1)
    expect(operations.flatMap(({ rowIds }) => rowIds)).toEqual(texts.map((_, i) => i + 1))
    const column = operations.flatMap(({ columns }) => columns?.T?.new)
    expect(column).toEqual(texts)
  })
})

describe('a stream of changes', () => {
  it('replays what was, goes on with what comes, and can be taken up again', async () => {
    const { rest } = system.alice
    const key = system.sheaf.ownerKey
    const stream = await openEvents(`${doc}/changes?since=3`, key)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no')
    await eventually(() => expect(stream.seqs()).toEqual([4, 5]))
    expect(stream.events[0]?.data).toEqual((await list({ since: 3 })).body.changes[0])

    await rest.patch(`${doc}/tables/Pets/records`, {
      body: { records: [{ id: 1, fields: { Name: 'Max' } }] },
    })
    await eventually(() => expect(stream.seqs()).toEqual([4, 5, 6]))
    stream.close()

    await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Tom' }])
    const again = await openEvents(`${doc}/changes?since=0`, key, { 'last-event-id': '6' })
    await eventually(() => expect(again.seqs()).toEqual([7]))
    again.close()
    const bad = await openEvents(`${doc}/changes`, key, { 'last-event-id': 'x' })
    expect(bad.response.status).toBe(400)
    expect((await openEvents(`${doc}/changes?since=99`, key)).response.status).toBe(400)
  })

  it('ends within seconds when access is taken away', async () => {
    const { rest } = system.alice
    const own = await newDocument(rest)
    await share(own, 'vera@example.com', 'viewers')
    const stream = await openEvents(`${own}/changes`, viewerKey)
    await eventually(() => expect(stream.seqs()).toEqual([1]))
    await share(own, 'vera@example.com', null)
    await addTable(rest, own, 'Secret', { T: 'Text' })
    await stream.ended
    expect(stream.seqs()).toEqual([1])
    expect(stream.events.at(-1)).toMatchObject({
      event: 'end',
      data: { details: { reason: 'ACCESS_DENIED' } },
    })
  })

  it('ends when the document is deleted', async () => {
    const { rest } = system.alice
    const own = await newDocument(rest)
    const stream = await openEvents(`${own}/changes`, system.sheaf.ownerKey)
    await eventually(() => expect(stream.seqs()).toEqual([1]))
    await rest.delete(own)
    await stream.ended
    expect(stream.events.at(-1)?.event).toBe('end')
  })

  it('outlives a restart of the service that has the document', async () => {
    const { rest } = system.alice
    const own = await newDocument(rest)
    const stream = await openEvents(`${own}/changes`, system.sheaf.ownerKey)
    await eventually(() => expect(stream.seqs()).toEqual([1]))
    const pid = await system.sheaf.kill('document-data')
    await system.sheaf.restarted('document-data', pid)
    await addTable(rest, own, 'After', { T: 'Text' })
    await eventually(() => expect(stream.seqs()).toEqual([1, 2]))
    stream.close()
  })

  it('is one of a bounded number', async () => {
    const own = await newDocument(system.alice.rest)
    const streams = []
    for (let i = 0; i < 4; i++)
      streams.push(await openEvents(`${own}/changes`, system.sheaf.ownerKey))
    expect(streams.map(({ response }) => response.status)).toEqual([200, 200, 200, 200])
    const refused = await openEvents(`${own}/changes`, system.sheaf.ownerKey)
    expect(refused.response.status).toBe(429)
    expect(refused.response.headers.get('retry-after')).toBe('10')
    for (const { close } of streams) close()
    await eventually(async () => {
      const next = await openEvents(`${own}/changes`, system.sheaf.ownerKey)
      next.close()
      expect(next.response.status).toBe(200)
    })
  })
})
