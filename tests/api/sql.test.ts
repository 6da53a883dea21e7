import { addRecords, addTable, newDocument, useSystem } from '../support/system'

const system = useSystem()
let doc = ''
let sql = ''

beforeAll(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  sql = `${doc}/sql`
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
  await addRecords(rest, `${doc}/tables/Pets`, [
    { Name: 'Rex', Age: 3 },
    { Name: 'Tom', Age: 4 },
  ])
})

interface Answer {
  statement: string
  records: { fields: Record<string, unknown> }[]
  error?: string
}

const get = (q?: string, headers?: Record<string, string>) =>
  system.alice.rest.get<Answer>(sql, { query: { q }, headers })
const post = (body: object) => system.alice.rest.post<Answer>(sql, { body })

describe('a SQL query', () => {
  it('answers statement and records, by GET and by POST', async () => {
    const statement = 'select Name, Age from Pets order by Age desc'
    const answer = {
      statement,
      records: [{ fields: { Name: 'Tom', Age: 4 } }, { fields: { Name: 'Rex', Age: 3 } }],
    }
    expect((await get(statement)).body).toEqual(answer)
    expect((await post({ sql: statement })).body).toEqual(answer)
    expect((await post({ sql: statement, args: null, extra: true })).body).toEqual(answer)
  })

  it('takes values for its parameters and a time limit', async () => {
    const { body } = await post({
      sql: 'select Name from Pets where Age > ? and Name <> ?',
      args: [1, 'Rex'],
    })
    expect(body.records).toEqual([{ fields: { Name: 'Tom' } }])
    const endless =
      'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c'
    for (const reply of [await post({ sql: endless, timeout: 50 }), await get(endless)])
      expect(reply).toMatchObject({
        status: 400,
        body: {
          error: 'a slow statement resulted in a database interrupt',
          details: { reason: 'SQL_TIMEOUT' },
        },
      })
    expect((await post({ sql: 'select 1 as a', timeout: 1e9 })).status).toBe(200)
    expect((await post({ sql: 'select 1 as a', timeout: -1 })).status).toBe(200)
  })

  it.each<[object, string]>([
    [{}, 'Invalid payload: body.sql is missing'],
    [{ sql: 5 }, 'Invalid payload: body.sql is not a string'],
    [{ sql: 'select 1', args: 'x' }, 'Invalid payload: body.args is not an array'],
    [
      { sql: 'select ?', args: [{}] },
      'Invalid payload: body.args[0] must be a number, string, boolean or null',
    ],
    [{ sql: 'select 1', timeout: 'x' }, 'Invalid payload: body.timeout is not a number'],
    [{ sql: 'drop table Pets' }, 'only select statements are supported'],
    [{ sql: 'select * from Nope' }, 'SQLITE_ERROR: no such table: Nope'],
    [{ sql: 'select * from _sheaf_log' }, 'SQLITE_ERROR: not authorized'],
    [{ sql: 'select 1', args: [1] }, 'SQLITE_ERROR: column index out of range'],
  ])('is refused when it is wrong: %j', async (body, error) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error } })
  })

  it('by GET needs a query', async () => {
    expect(await get()).toMatchObject({ status: 400, body: { error: 'q parameter is required' } })
  })

  it('answers in the form that is asked for', async () => {
    const q = 'select Name, Age from Pets order by id'
    const csv = await get(q, { accept: 'text/csv' })
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(csv.text).toBe('Name,Age\nRex,3\nTom,4\n')
    const lines = await get(q, { accept: 'application/x-ndjson' })
    expect(lines.text).toBe('{"Name":"Rex","Age":3}\n{"Name":"Tom","Age":4}\n')
    const arrow = await get(q, { accept: 'application/vnd.apache.arrow.stream' })
    expect(arrow.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream')
    expect(arrow.raw.length).toBeGreaterThan(100)
  })

  it('carries the tag of the document, and answers 304 to who knows it', async () => {
    const first = await get('select 1')
    const etag = first.headers.get('etag') ?? ''
    expect((await get('select 1', { 'if-none-match': etag })).status).toBe(304)
    await addRecords(system.alice.rest, `${doc}/tables/Pets`, [{ Name: 'New' }])
    expect((await get('select 1', { 'if-none-match': etag })).status).toBe(200)
  })

  it('is for those who may view the document', async () => {
    for (const rest of [system.dan.rest, system.anonymous])
      expect(await rest.get(sql, { query: { q: 'select 1' } })).toMatchObject({
        status: 403,
        body: { error: expect.stringMatching(/^No view access/) as string },
      })
  })
})
