import { createRest, type Rest } from '@sheaf/testkit/rest'
import { addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let doc = ''

interface Change {
  readonly operations: readonly object[]
}

interface Tried {
  readonly dryRun: boolean
  readonly result: unknown
  readonly change: Change | null
  readonly pendingColumns: readonly string[]
}

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'People', { Name: 'Text', Age: 'Int' })
  const columns = [{ id: 'Twice', fields: { formula: '$Age * 2', isFormula: true, type: 'Int' } }]
  await rest.post(`${doc}/tables/People/columns`, { body: { columns } })
  const records = [{ fields: { Name: 'Ann', Age: 1 } }, { fields: { Name: 'Bob', Age: 2 } }]
  await rest.post(`${doc}/tables/People/records`, { body: { records } })
})

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

const people = '/tables/People'
const writes: readonly (readonly [string, Method, string, unknown])[] = [
  [
    'added records',
    'post',
    `${people}/records`,
    { records: [{ fields: { Name: 'Eve', Age: 7 } }] },
  ],
  ['updated records', 'patch', `${people}/records`, { records: [{ id: 1, fields: { Age: 5 } }] }],
  [
    'added or updated records',
    'put',
    `${people}/records`,
    { records: [{ require: { Name: 'Ann' }, fields: { Age: 8 } }] },
  ],
  ['deleted records', 'post', `${people}/records/delete`, [1]],
  ['added rows', 'post', `${people}/data`, { Name: ['Eve'], Age: [3] }],
  ['updated rows', 'patch', `${people}/data`, { id: [1], Age: [3] }],
  [
    'added columns',
    'post',
    `${people}/columns`,
    { columns: [{ id: 'New', fields: { type: 'Text' } }] },
  ],
  [
    'updated columns',
    'patch',
    `${people}/columns`,
    { columns: [{ id: 'Age', fields: { colId: 'Years' } }] },
  ],
  ['a removed column', 'delete', `${people}/columns/Name`, undefined],
  [
    'added tables',
    'post',
    '/tables',
    { tables: [{ id: 'New', columns: [{ id: 'A', fields: {} }] }] },
  ],
  [
    'updated tables',
    'patch',
    '/tables',
    { tables: [{ id: 'People', fields: { tableId: 'Staff' } }] },
  ],
  ['actions', 'post', '/apply', [['UpdateRecord', 'People', 1, { Age: 9 }]]],
  [
    'a batch',
    'post',
    '/batch',
    {
      operations: [
        { op: 'addRecords', table: 'People', records: [{ id: '$e', fields: { Name: 'Eve' } }] },
        { op: 'updateRecords', table: 'People', records: [{ id: '$e', fields: { Age: 4 } }] },
      ],
    },
  ],
]

/** All that readers see of the document. */
async function look(rest: Rest) {
  const [tables, records, log] = await Promise.all([
    rest.get(`${doc}/tables?expand=column`),
    rest.get(`${doc}${people}/records?hidden=true`),
    rest.get<{ changes: Change[] }>(`${doc}/changes`),
  ])
  const parts = [tables.body, records.body, log.body, records.headers.get('etag')]
  return { parts, changes: log.body.changes }
}

const send = <T>(method: Method, path: string, body: unknown, headers = {}) =>
  system.alice.rest[method]<T>(`${doc}${path}`, { ...(body !== undefined && { body }), headers })

/** Without the time, which differs, and the user, whom the history adds. */
const comparable = (change: Change | null | undefined) => ({
  ...change,
  time: undefined,
  user: undefined,
})

/** What says why a request was refused, without the time to wait. */
function reasonOf(body: unknown) {
  const { reason, cap } = (body as { details: { reason: string; cap: string } }).details
  return { reason, cap }
}

describe('a dry run', () => {
  it.each(writes)(
    'of %s answers as the write would, and keeps nothing',
    async (_, method, path, body) => {
      const before = await look(system.alice.rest)
      const tried = await send<Tried>(method, `${path}?dryRun=true`, body)
      expect(tried).toMatchObject({ status: 200, body: { dryRun: true } })
      expect(tried.headers.get('etag')).toBeNull()
      expect((await look(system.alice.rest)).parts).toEqual(before.parts)
      const written = await send(method, path, body)
      expect(tried.body.result).toEqual(written.body)
      const history = await send<{ changes: Change[] }>('get', '/history?limit=1', undefined)
      expect(comparable(tried.body.change)).toEqual(comparable(history.body.changes[0]))
    },
  )

  it('shows the results of formulas with the old and the new cells', async () => {
    const records = [{ id: 1, fields: { Age: 5 } }]
    const { body } = await send<Tried>('patch', `${people}/records?dryRun=1`, { records })
    expect(body.change?.operations).toMatchObject([
      { action: 'updateRows', rowIds: [1], columns: { Age: { old: [1], new: [5] } } },
      { action: 'updateRows', rowIds: [1], columns: { Twice: { old: [2], new: [10] } } },
    ])
  })

  it('of an undo shows what it would restore', async () => {
    await send('patch', `${people}/records`, { records: [{ id: 1, fields: { Age: 5 } }] })
    const { changes } = await look(system.alice.rest)
    const { seq } = changes.at(-1) as Change & { seq: number }
    const tried = await send<Tried>('post', `/changes/${seq}/revert?dryRun=true`, undefined)
    expect(tried.body.change?.operations).toMatchObject([
      { columns: { Age: { old: [5], new: [1] } } },
      { columns: { Twice: { old: [10], new: [2] } } },
    ])
    expect((await look(system.alice.rest)).changes).toEqual(changes)
  })

  it('of a write without an effect has no change', async () => {
    const { body } = await send<Tried>('post', `${people}/records/delete?dryRun=true`, [99])
    expect(body).toEqual({ dryRun: true, result: null, change: null, pendingColumns: [] })
  })

  it('leaves its Idempotency-Key to the write', async () => {
    const body = { records: [{ fields: { Name: 'Eve' } }] }
    const key = { 'Idempotency-Key': 'one' }
    await send('post', `${people}/records?dryRun=true`, body, key)
    await send('post', `${people}/records`, body, key)
    await send('post', `${people}/records`, body, key)
    expect(await readRecords(system.alice.rest, `${doc}${people}`)).toHaveLength(3)
  })

  it('does not hold up or change writes that are sent with it', async () => {
    const add = (name: string, query = '') =>
      send<unknown>('post', `${people}/records${query}`, { records: [{ fields: { Name: name } }] })
    const sent = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? add(`kept ${index}`) : add(`tried ${index}`, '?dryRun=true'),
    )
    for (const { status } of await Promise.all(sent)) expect(status).toBe(200)
    const rows = await readRecords(system.alice.rest, `${doc}${people}`)
    expect(rows).toHaveLength(22)
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 22 }, (_, index) => index + 1))
    expect(rows.some(({ fields }) => String(fields.Name).startsWith('tried'))).toBe(false)
  })

  it('fails as the write would', async () => {
    const unknown = { records: [{ fields: { Nme: 'Eve' } }] }
    const tried = await send('post', `${people}/records?dryRun=true`, unknown)
    expect(tried.status).toBe(400)
    expect(tried.body).toEqual((await send('post', `${people}/records`, unknown)).body)
    const other = { 'If-Match': 'W/"other.1"' }
    const rows = { records: [{ fields: {} }] }
    expect((await send('post', `${people}/records?dryRun=true`, rows, other)).status).toBe(412)
  })

  it('names the columns that formulas would compute later', async () => {
    const { body } = await send<Tried>('post', '/formulas/recalculate?dryRun=true', undefined)
    expect(body).toMatchObject({ result: { columns: 1 }, pendingColumns: ['People.Twice'] })
    expect(await readRecords(system.alice.rest, `${doc}${people}`)).toMatchObject([
      { fields: { Twice: 2 } },
      { fields: { Twice: 4 } },
    ])
  })

  it('leaves out a change of more than 4 MiB, and says so', async () => {
    const records = Array.from({ length: 9 }, () => ({ fields: { Name: 'x'.repeat(500_000) } }))
    const { body } = await send<Tried>('post', `${people}/records?dryRun=true`, { records })
    expect(body.change).toMatchObject({ truncated: true, operations: [] })
    expect(body.result).toEqual({ records: records.map((_, index) => ({ id: index + 3 })) })
  })

  it('does not count towards the cap of a key, and is refused as the write', async () => {
    const scope = { caps: { rowsPerCall: 2, rowsPerHour: 3, noStructure: true } }
    const made = await system.alice.rest.post<{ key: string }>('/api/profile/apikeys', {
      body: { name: 'agent', scope },
    })
    const rest = createRest(system.sheaf.url, made.body.key)
    const add = (rows: number, query = '') =>
      rest.post(`${doc}${people}/records${query}`, {
        body: { records: Array.from({ length: rows }, () => ({ fields: {} })) },
      })
    for (let attempt = 0; attempt < 4; attempt++)
      expect((await add(2, '?dryRun=true')).status).toBe(200)
    expect((await add(2)).status).toBe(200)
    for (const rows of [2, 3]) {
      const { status, body } = await add(rows)
      expect(status).toBe(rows === 2 ? 429 : 403)
      const tried = await add(rows, '?dryRun=true')
      expect(tried.status).toBe(status)
      expect(tried.body).toMatchObject({ details: reasonOf(body) })
    }
    const columns = { body: { columns: [{ id: 'New' }] } }
    const { status, body } = await rest.post(`${doc}${people}/columns?dryRun=true`, columns)
    expect([status, reasonOf(body)]).toEqual([403, { reason: 'KEY_CAP', cap: 'noStructure' }])
    expect((await add(1)).status).toBe(200)
  })

  it('needs the role of the write', async () => {
    const users = { [system.dan.email]: 'viewers' }
    await system.alice.rest.patch(`${doc}/access`, { body: { delta: { users } } })
    const body = { records: [{ fields: {} }] }
    const { status } = await system.dan.rest.post(`${doc}${people}/records?dryRun=true`, { body })
    expect(status).toBe(403)
  })

  it('is refused when its name is misspelt', async () => {
    const records = [{ fields: {} }]
    const { status, body } = await send('post', `${people}/records?dryrun=true`, { records })
    expect([status, body]).toMatchObject([400, { details: { parameter: 'dryrun' } }])
    expect(await readRecords(system.alice.rest, `${doc}${people}`)).toHaveLength(2)
  })

  it.each([
    ['post', `${people}/records?dryRun=maybe`],
    ['post', `${people}/records?dryRun=true&dryRun=false`],
    ['post', `/copy?dryRun=true`],
    ['post', `/sql?dryRun=true`],
    ['patch', `?dryRun=true`],
  ] as const)('is refused instead of overlooked: %s %s', async (method, path) => {
    const { status, body } = await send<{ details: object }>(method, path, { name: 'x' })
    expect([status, body.details]).toMatchObject([400, { parameter: 'dryRun' }])
  })
})
