import { randomUUID } from 'node:crypto'
import type { RestReply } from '@sheaf/testkit/rest'
import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let doc = ''
let table = ''

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'People', { Name: 'Text', Age: 'Int' })
  table = `${doc}/tables/People`
})

const etagOf = ({ headers }: RestReply) => headers.get('etag') ?? ''
const added = (Name: string) => ({ records: [{ fields: { Name } }] })
const add = (Name: string, headers: Record<string, string> = {}) =>
  system.alice.rest.post(`${table}/records`, { body: added(Name), headers })
const names = async () =>
  (await readRecords(system.alice.rest, table)).map(({ fields }) => fields.Name)

describe('the ETag of a document', () => {
  it('comes with every read and write of it, and changes with every change', async () => {
    const { rest } = system.alice
    const first = etagOf(await add('Ada'))
    expect(first).toMatch(/^W\/"[0-9a-f-]{36}\.\d+"$/)
    const reads = [
      await rest.get(`${table}/records`),
      await rest.post(`${table}/records/list`, { body: {} }),
      await rest.get(`${table}/columns`),
      await rest.get(`${doc}/tables`),
    ]
    expect(reads.map(etagOf)).toEqual(reads.map(() => first))
    const writes = [
      await rest.patch(`${table}/records`, {
        body: { records: [{ id: 1, fields: { Name: 'Eva' } }] },
      }),
      await rest.post(`${table}/columns`, { body: { columns: [{ id: 'New' }] } }),
      await rest.post(`${doc}/tables`, { body: { tables: [{ columns: [{ id: 'A' }] }] } }),
      await rest.post(`${table}/records/delete`, { body: [1] }),
    ]
    expect(writes.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set([first, ...writes.map(etagOf)]).size).toBe(5)
  })

  it('that the client has answers 304 without a body, and another one does not', async () => {
    const { rest } = system.alice
    const etag = etagOf(await add('Ada'))
    for (const path of [`${table}/records`, `${table}/columns`, `${doc}/tables`]) {
      const known = await rest.get(path, { headers: { 'if-none-match': `"other", ${etag}` } })
      expect([known.status, known.text, etagOf(known)]).toEqual([304, '', etag])
      for (const other of ['"other"', 'W/"x.1"', 'not a tag'])
        expect((await rest.get(path, { headers: { 'if-none-match': other } })).status).toBe(200)
    }
    await add('Eva')
    const changed = await rest.get(`${table}/records`, { headers: { 'if-none-match': etag } })
    expect(changed.status).toBe(200)
  })

  it('does not open a document to those who may not see it', async () => {
    const etag = etagOf(await add('Ada'))
    const { rest } = system.dan
    const { status } = await rest.get(`${table}/records`, { headers: { 'if-none-match': etag } })
    expect(status).toBe(403)
  })
})

describe('If-Match', () => {
  it('lets a write go on only while the document is as the client knows it', async () => {
    const etag = etagOf(await add('Ada'))
    expect((await add('Eva', { 'if-match': etag })).status).toBe(200)
    const late = await add('Zoe', { 'if-match': etag })
    expect(late).toMatchObject({
      status: 412,
      body: { details: { reason: 'DOCUMENT_CHANGED' } },
    })
    expect((await add('Tom', { 'if-match': '*' })).status).toBe(200)
    expect(await names()).toEqual(['Ada', 'Eva', 'Tom'])
  })

  it('that is no ETag is refused', async () => {
    expect(await add('Ada', { 'if-match': 'abc' })).toMatchObject({
      status: 400,
      body: { details: { reason: 'INVALID_HEADER' } },
    })
    expect(await names()).toEqual([])
  })
})

describe('expect', () => {
  it('lets a record be changed only while it holds the cells', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, [{ Name: 'Ada', Age: 36 }, { Name: 'Eva' }])
    const change = (age: unknown) =>
      rest.patch(`${table}/records`, {
        body: {
          records: [
            { id: 2, fields: { Name: 'Zoe' } },
            { id: 1, fields: { Name: 'Tom' }, expect: { Age: age } },
          ],
        },
      })
    expect(await change(37)).toMatchObject({
      status: 412,
      body: { details: { reason: 'CELL_CHANGED', recordId: '1', column: 'Age' } },
    })
    expect(await names()).toEqual(['Ada', 'Eva'])
    expect((await change(36)).status).toBe(200)
    expect(await names()).toEqual(['Tom', 'Zoe'])
  })

  it('lets a record be added or updated only while it is there and holds the cells', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, [{ Name: 'Ada', Age: 36 }])
    const put = (Name: string, age: unknown) =>
      rest.put(`${table}/records`, {
        body: {
          records: [
            { require: { Name: 'Eva' }, fields: { Age: 1 } },
            { require: { Name }, fields: { Age: 40 }, expect: { Age: age } },
          ],
        },
      })
    expect(await put('Ada', 37)).toMatchObject({
      status: 412,
      body: { details: { reason: 'CELL_CHANGED', recordId: '1', column: 'Age' } },
    })
    expect(await put('Zoe', 36)).toMatchObject({
      status: 412,
      body: { details: { reason: 'CELL_CHANGED', column: 'Age' } },
    })
    expect(await names()).toEqual(['Ada'])
    expect(await put('Ada', 36)).toMatchObject({ status: 200, body: { recordIds: [[2], [1]] } })
  })
})

describe('Idempotency-Key', () => {
  const facts = (reply: RestReply) => [reply.status, reply.text, etagOf(reply)]

  it('makes a write happen once, however often it is sent', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await add('Ada', headers)
    await add('Eva')
    const again = await Promise.all([1, 2, 3].map(() => add('Ada', headers)))
    for (const reply of again) expect(facts(reply)).toEqual(facts(first))
    expect(await names()).toEqual(['Ada', 'Eva'])
  })

  it('that comes with another body, path or method is refused', async () => {
    const { rest } = system.alice
    const headers = { 'idempotency-key': 'mine' }
    await add('Ada', headers)
    const others = [
      await add('Eva', headers),
      await rest.post(`${table}/records?noparse=1`, { body: added('Ada'), headers }),
      await rest.post(`${table}/records/delete`, { body: [1], headers }),
      await rest.patch(`${table}/records`, {
        body: { records: [{ id: 1, fields: { Name: 'Eva' } }] },
        headers,
      }),
      await rest.post(`${table}/columns`, { body: { columns: [{ id: 'X' }] }, headers }),
    ]
    for (const { status, body } of others)
      expect([status, body]).toMatchObject([422, { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } }])
    expect(await names()).toEqual(['Ada'])
  })

  it.each(['', 'with space', 'x'.repeat(256), 'ü'])('that is %j is refused', async (key) => {
    const sent = await add('Ada', { 'idempotency-key': key })
    expect(sent).toMatchObject({
      status: 400,
      body: { details: { reason: 'INVALID_HEADER' } },
    })
  })

  it('works for tables and columns alike', async () => {
    const { rest } = system.alice
    const headers = { 'idempotency-key': 'k' }
    const body = { columns: [{ id: 'Same' }] }
    const first = await rest.post(`${table}/columns`, { body, headers })
    expect(facts(await rest.post(`${table}/columns`, { body, headers }))).toEqual(facts(first))
    const { body: listed } = await rest.get<{ columns: { id: string }[] }>(`${table}/columns`)
    expect(listed.columns.map(({ id }) => id)).toEqual(['Name', 'Age', 'Same'])
  })
})
