import { formOf } from '../support/attachments'
import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()

interface Refusal {
  readonly error: string
  readonly details: { readonly reason: string; readonly userError?: string }
}

const strict = { prefer: 'handling=strict' }

describe('a body that is not declared as JSON', () => {
  const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
  let docs = ''
  beforeAll(async () => {
    const { body } = await system.alice.rest.get<{ id: number }[]>('/api/orgs/current/workspaces')
    docs = `/api/workspaces/${body[0]?.id}/docs`
  })

  it('makes no untitled document: 415 says what was sent and what to send', async () => {
    const { rest } = system.alice
    const count = async () =>
      (await rest.get<{ docs: unknown[] }>(docs.replace(/\/docs$/, ''))).body.docs.length
    const before = await count()
    const body = '{"name":"My doc"}'
    const { status, body: refusal } = await rest.post<Refusal>(docs, { body, headers: asForm })
    expect([status, refusal]).toEqual([
      415,
      {
        error:
          'the body was sent as "application/x-www-form-urlencoded": send JSON with the header "Content-Type: application/json"',
        details: { reason: 'UNSUPPORTED_MEDIA_TYPE', allowed: 'application/json' },
      },
    ])
    const bytes = await rest.post<Refusal>(docs, { body: Buffer.from(body) })
    expect([bytes.status, bytes.body.error]).toEqual([
      415,
      expect.stringContaining('without a Content-Type'),
    ])
    expect(await count()).toBe(before)
  })

  it('stays a 400 that names the missing property where one is required, and says why it is missing', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const { status, body } = await rest.post<Refusal>(`${doc}/tables/Table1/records`, {
      body: '{"records":[{}]}',
      headers: { 'content-type': 'text/plain' },
    })
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^Invalid payload: body\.records is missing; the body was sent as/),
    ])
    expect(body.details.userError).toMatch(
      /^Error: body\.records is missing\s+the body was sent as "text\/plain": send JSON/,
    )
  })

  it('may be absent, also when it is sent in chunks of which there are none', async () => {
    const { rest } = system.alice
    expect((await rest.post(docs)).status).toBe(200)
    expect((await rest.post(docs, { body: '', headers: asForm })).status).toBe(200)
    const inChunks = async (...parts: string[]) => {
      const body = new Blob(parts).stream()
      const headers = { authorization: `Bearer ${system.sheaf.ownerKey}`, ...asForm }
      const init = { method: 'POST', headers, body, duplex: 'half' }
      return (await fetch(rest.url + docs, init as RequestInit)).status
    }
    expect(await inChunks()).toBe(200)
    expect(await inChunks('{"name":', '"My doc"}')).toBe(415)
  })
})

describe('a record whose cells are not in its fields', () => {
  it('adds no empty row: 400 says where the cells belong', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Pets', { pet: 'Text' })
    const path = `${doc}/tables/Pets/records`
    const faultOf = async (method: 'post' | 'put', record: object) => {
      const { status, body } = await rest[method]<Refusal>(path, { body: { records: [record] } })
      return [status, body.details.userError]
    }
    expect(await faultOf('post', { pet: 'x' })).toEqual([
      400,
      'Error: body.records[0] has no fields; put pet into it',
    ])
    expect(await faultOf('put', { require: { pet: 'x' }, age: 1, expect: {} })).toEqual([
      400,
      'Error: body.records[0] has no fields; put age into it',
    ])
    expect((await rest.post(path, { body: { records: [{}] } })).status).toBe(200)
    expect(await readRecords(rest, `${doc}/tables/Pets`)).toHaveLength(1)
  })
})

describe('a number that no double can hold', () => {
  it('is refused where it stands, and does not become null', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Numeric' })
    await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Rex' }])
    await rest.patch(`${doc}/preferences`, { body: { x: 1 } })
    const faultOf = async (method: 'get' | 'post' | 'patch', path: string, body?: string) => {
      const headers = { 'content-type': 'application/json' }
      const reply = await rest[method]<Refusal>(doc + path, { body, headers })
      return [reply.status, reply.body.details.reason, reply.body.error]
    }
    const refused = (place: string) => [
      400,
      'INVALID_PAYLOAD',
      `Invalid payload: ${place} is a number out of range`,
    ]
    const records = '/tables/Pets/records'
    expect(await faultOf('patch', '/preferences', '{"x":1e400}')).toEqual(refused('body.x'))
    expect(await faultOf('post', `${records}/list`, '{"filter":{"Age":[1e400]}}')).toEqual(
      refused('body.filter.Age[0]'),
    )
    expect(await faultOf('get', `${records}?filter={"Age":[1e400]}`)).toEqual(
      refused('filter.Age[0]'),
    )
    expect(
      await faultOf('post', records, '{"records":[{"fields":{}},{"fields":{"Age":-1e400}}]}'),
    ).toEqual(refused('body.records[1].fields.Age'))
    expect(await faultOf('post', '/sql', '{"sql":"select ?","args":[1e400]}')).toEqual(
      refused('body.args[0]'),
    )
    expect((await rest.get<object>(`${doc}/preferences`)).body).toEqual({ x: 1 })
    expect(await readRecords(rest, `${doc}/tables/Pets`)).toHaveLength(1)
  })
})

describe('Prefer: handling=strict', () => {
  let doc = ''
  let pets = ''
  beforeAll(async () => {
    const { rest } = system.alice
    doc = await newDocument(rest)
    await addTable(rest, doc, 'Owners', { Name: 'Text' })
    await addTable(rest, doc, 'Pets', {
      Name: 'Text',
      Age: 'Int',
      Born: 'Date',
      Tags: 'ChoiceList',
      Owner: 'Ref:Owners',
      Friends: 'RefList:Pets',
      Files: 'Attachments',
    })
    pets = `${doc}/tables/Pets`
    await addRecords(rest, `${doc}/tables/Owners`, [{ Name: 'Ada' }])
  })

  const send = async (fields: object, headers: Record<string, string> = strict) => {
    const body = { records: [{ fields: { Name: 'Rex' } }, { fields }] }
    return system.alice.rest.post<Refusal>(`${pets}/records`, { body, headers })
  }

  it.each([
    [{ Age: 'young' }, 'column "Age": the cell of item 1 does not fit its type Int'],
    [{ Age: 3_000_000_000 }, 'column "Age": the cell of item 1 does not fit its type Int'],
    [{ Born: 'soon' }, 'column "Born": the cell of item 1 does not fit its type Date'],
    [{ Name: ['L', 'a'] }, 'column "Name": the cell of item 1 does not fit its type Text'],
    [{ Owner: 'Nobody' }, 'column "Owner": the cell of item 1 does not fit its type Ref:Owners'],
    [
      { Owner: 7 },
      'column "Owner": the cell of item 1 refers to row 7 of table "Owners", which does not exist',
    ],
    [
      { Friends: ['L', 99] },
      'column "Friends": the cell of item 1 refers to row 99 of table "Pets", which does not exist',
    ],
    [
      { Friends: 'Rex, Tom' },
      'column "Friends": the cell of item 1 does not fit its type RefList:Pets',
    ],
    [
      { Files: ['L', 5] },
      'column "Files": the cell of item 1 refers to attachment 5, which does not exist',
    ],
  ])('refuses the cells %j and adds nothing, which others keep', async (fields, error) => {
    const { rest } = system.alice
    const before = (await readRecords(rest, pets)).length
    const { status, body, headers } = await send(fields)
    expect([status, body.error, body.details.reason]).toEqual([400, error, 'INVALID_VALUE'])
    expect(headers.get('preference-applied')).toBe('handling=strict')
    expect(await readRecords(rest, pets)).toHaveLength(before)
    const kept = await send(fields, {})
    expect([kept.status, kept.headers.get('preference-applied')]).toEqual([200, null])
  })

  it('accepts what fits and what exists, rows of the same request among it', async () => {
    const { rest } = system.alice
    const form = formOf([['a.txt', 'a', 'text/plain']])
    const uploaded = await rest.post<number[]>(`${doc}/attachments`, { body: form })
    const highest = Math.max(...(await readRecords(rest, pets)).map(({ id }) => id), 0)
    const { status } = await send({
      Age: '7',
      Born: '2024-01-31',
      Tags: 'a, b',
      Owner: 1,
      Friends: ['L', highest + 1],
      Files: ['L', ...uploaded.body],
    })
    expect(status).toBe(200)
    expect((await send({ Age: null, Born: null, Tags: null, Owner: 0, Files: null })).status).toBe(
      200,
    )
  })

  it('applies to changes, upserts, columns of cells and actions alike, and names the item of the request', async () => {
    const { rest } = system.alice
    const [id = 0] = await addRecords(rest, pets, [{ Name: 'Changed', Age: 1 }])
    const fault = async (method: 'post' | 'patch' | 'put', path: string, body: unknown) =>
      (await rest[method]<Refusal>(path, { body, headers: strict })).body.error
    const bad = (index: number) =>
      `column "Age": the cell of item ${index} does not fit its type Int`
    const records = (...list: object[]) => ({ records: list })
    expect(await fault('patch', `${pets}/records`, records({ id, fields: { Age: 'x' } }))).toBe(
      bad(0),
    )
    const upsert = records(
      { require: { Name: 'New' }, fields: { Age: 1, Born: null } },
      { require: { Name: 'Changed' }, fields: { Age: 2 } },
      { require: { Name: 'Newer' }, fields: { Age: 'x' } },
    )
    expect(await fault('put', `${pets}/records`, upsert)).toBe(bad(2))
    expect(await fault('post', `${pets}/data`, { Age: [1, 'x'] })).toBe(bad(1))
    expect(await fault('post', `${doc}/apply`, [['AddRecord', 'Pets', null, { Age: 'x' }]])).toBe(
      bad(0),
    )
    const [row] = await readRecords(rest, pets, { filter: { id: [id] } })
    expect(row?.fields.Age).toBe(1)
  })

  it('refuses columns that refer to no table, which others make', async () => {
    const { rest } = system.alice
    const columns = [{ id: 'Vet', fields: { type: 'Ref:Vets' } }]
    const refused = {
      error: 'column "Vet": the type "Ref:Vets" refers to a table that does not exist',
      details: { reason: 'UNKNOWN_COLUMN_TYPE', field: 'type' },
    }
    const add = await rest.post(`${pets}/columns`, { body: { columns }, headers: strict })
    expect([add.status, add.body]).toEqual([400, refused])
    const put = await rest.put(`${pets}/columns`, { body: { columns }, headers: strict })
    expect([put.status, put.body]).toEqual([400, refused])
    const table = { id: 'Visits', columns }
    const made = await rest.post(`${doc}/tables`, { body: { tables: [table] }, headers: strict })
    expect([made.status, made.body]).toEqual([400, refused])
    const both = { tables: [table, { id: 'Vets', columns: [{ id: 'Name', fields: {} }] }] }
    expect((await rest.post(`${doc}/tables`, { body: both, headers: strict })).status).toBe(200)
    const change = [{ id: 'Owner', fields: { type: 'RefList:Nobody' } }]
    const changed = await rest.patch(`${pets}/columns`, {
      body: { columns: change },
      headers: strict,
    })
    expect(changed.status).toBe(400)
    const lenient = [{ id: 'Shop', fields: { type: 'Ref:Shops' } }]
    expect((await rest.post(`${pets}/columns`, { body: { columns: lenient } })).status).toBe(200)
  })

  it('refuses parameters and properties that nothing reads, which others ignore', async () => {
    const { rest } = system.alice
    const read = (headers?: Record<string, string>) =>
      rest.get<Refusal>(`${pets}/records?limt=1`, { headers })
    const refused = await read(strict)
    expect([refused.status, refused.body.details]).toEqual([
      400,
      { reason: 'INVALID_PARAMETER', parameter: 'limt', suggestion: 'limit' },
    ])
    expect(refused.body.error).toMatch(/^unknown parameter "limt"; .*\blimit\b/)
    expect((await read()).status).toBe(200)
    const record = { fields: { Name: 'x' }, nmae: 1 }
    const body = { records: [record] }
    const added = await rest.post<Refusal>(`${pets}/records`, { body, headers: strict })
    expect([added.status, added.body]).toEqual([
      400,
      {
        error: 'unrecognized property body.records[0].nmae',
        details: { reason: 'UNKNOWN_PROPERTY', field: 'body.records[0].nmae' },
      },
    ])
    const columns = [{ id: 'B', type: 'Int' }]
    const typed = await rest.post<Refusal>(`${pets}/columns`, {
      body: { columns },
      headers: strict,
    })
    expect([typed.status, typed.body.error]).toEqual([
      400,
      'unrecognized property body.columns[0].type',
    ])
    expect((await rest.get('/api/orgs?x=1', { headers: strict })).status).toBe(400)
  })
})
