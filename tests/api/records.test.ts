import fc from 'fast-check'
import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let table = ''
let doc = ''

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'People', {
    Name: 'Text',
    Age: 'Int',
    Born: 'Date',
    Tags: 'ChoiceList',
    Ok: 'Bool',
  })
  table = `${doc}/tables/People`
})

const people = [
  { Name: 'Ada', Age: 36, Born: -4861987200, Tags: ['L', 'math', 'code'], Ok: true },
  { Name: 'Grace', Age: 85, Born: -1989360000, Tags: ['L', 'navy'], Ok: true },
  { Name: 'ada', Age: null, Born: null, Tags: null, Ok: false },
]

describe('fetching records', () => {
  it('gives what was added, every type as it was', async () => {
    const { rest } = system.alice
    expect(await addRecords(rest, table, people)).toEqual([1, 2, 3])
    expect(await readRecords(rest, table)).toEqual(
      people.map((fields, index) => ({ id: index + 1, fields })),
    )
  })

  it('filters by allowed values, sorts both ways and stops at the limit', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, people)
    const ids = async (query: Record<string, unknown>) =>
      (await readRecords(rest, table, query)).map(({ id }) => id)
    expect(await ids({ filter: { Name: ['Ada', 'Grace'], Age: [85] } })).toEqual([2])
    expect(await ids({ filter: { Age: [null] } })).toEqual([3])
    expect(await ids({ filter: { Name: [] } })).toEqual([])
    expect(await ids({ sort: '-Age' })).toEqual([3, 2, 1])
    expect(await ids({ sort: 'Age', limit: 2 })).toEqual([1, 2])
    expect(await ids({ sort: '-id', limit: 0 })).toEqual([3, 2, 1])
  })

  it('takes sort and limit from headers, and prefers the query', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, people)
    const ids = async (options: object) =>
      (await rest.get<{ records: { id: number }[] }>(`${table}/records`, options)).body.records.map(
        ({ id }) => id,
      )
    expect(await ids({ headers: { 'X-Sort': '-id', 'X-Limit': '2' } })).toEqual([3, 2])
    expect(
      await ids({ headers: { 'X-Sort': '-id', 'X-Limit': '2' }, query: { sort: 'id', limit: 1 } }),
    ).toEqual([1])
  })

  it('shows hidden columns only when asked', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, people)
    expect(Object.keys((await readRecords(rest, table))[0]?.fields ?? {})).not.toContain(
      'manualSort',
    )
    expect((await readRecords(rest, table, { hidden: 'true' }))[1]?.fields.manualSort).toBe(2)
  })

  it.each([
    ['filter', 'not json'],
    ['filter', '{"Name":"Ada"}'],
    ['filter', '{"Nope":[1]}'],
    ['filter', '5'],
    ['sort', 'Nope'],
    ['sort', 'Name,,'],
    ['limit', 'abc'],
    ['limit', '-1'],
  ])('refuses %s=%s with 400 and names it', async (name, value) => {
    const { status, body } = await system.alice.rest.get<{ error: string }>(`${table}/records`, {
      query: { [name]: value },
    })
    expect(status).toBe(400)
    expect(body.error).toMatch(new RegExp(`${name}|Nope|filter|key`, 'i'))
  })

  it('answers 404 for a table that is not there', async () => {
    const { status, body } = await system.alice.rest.get(`${doc}/tables/Nope/records`)
    expect([status, body]).toEqual([
      404,
      expect.objectContaining({ error: 'Table not found "Nope"' }),
    ])
  })
})

describe('adding records', () => {
  it('parses text by the type of the column, and keeps what it cannot parse', async () => {
    const { rest } = system.alice
    const fields = { Name: 5, Age: '42', Born: '1815-12-10', Tags: 'a, b', Ok: 'yes' }
    await rest.post(`${table}/records`, {
      body: { records: [{ fields }, { fields: { Age: 'old', Born: 'soon' } }] },
    })
    const [parsed, kept] = await readRecords(rest, table)
    expect(parsed?.fields).toEqual({
      Name: '5',
      Age: 42,
      Born: -4861728000,
      Tags: ['L', 'a', 'b'],
      Ok: true,
    })
    expect(kept?.fields).toMatchObject({ Age: 'old', Born: 'soon' })
  })

  it.each<[string, unknown]>([
    ['no records', {}],
    ['an empty list', { records: [] }],
    ['a record that is no object', { records: [5] }],
    ['an unknown column', { records: [{ fields: { Nope: 1 } }] }],
    ['a cell that is an object', { records: [{ fields: { Name: {} } }] }],
    ['a list without a code', { records: [{ fields: { Tags: ['a', 'b'] } }] }],
    [
      'a good record before a bad one',
      { records: [{ fields: { Name: 'x' } }, { fields: { Nope: 1 } }] },
    ],
    ['half a character', '{"records":[{"fields":{"Name":"\\ud800"}}]}'],
    ['broken JSON', '{"records":['],
    ['a bare string', '"records"'],
  ])('refuses %s with 400, and nothing changes', async (_, body) => {
    const { rest } = system.alice
    const headers = { 'content-type': 'application/json' }
    const { status, body: answer } = await rest.post<{ error: string }>(`${table}/records`, {
      body,
      headers,
    })
    expect([status, typeof answer.error]).toEqual([400, 'string'])
    expect(await readRecords(rest, table)).toEqual([])
  })

  it('survives any body: never a 5xx, and what was refused left nothing', async () => {
    const { rest } = system.alice
    const cell = fc.oneof(
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.jsonValue()),
    )
    const record = fc.record({
      fields: fc.dictionary(fc.constantFrom('Name', 'Age', 'Ok', 'Born', 'Tags'), cell),
    })
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ records: fc.array(fc.oneof(record, fc.jsonValue())) }),
    )
    let rows = 0
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const answer = await rest.post<{ records?: unknown[] }>(`${table}/records`, {
          body: JSON.stringify(sent),
          headers: { 'content-type': 'application/json' },
        })
        expect(answer.status).toBeLessThan(500)
        rows += answer.status === 200 ? (answer.body.records?.length ?? 0) : 0
        expect((await readRecords(rest, table)).length).toBe(rows)
      }),
      { numRuns: 60 },
    )
  })
})

describe('changing records', () => {
  it('sets the cells named and no others', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, people)
    const { status, body } = await rest.patch(`${table}/records`, {
      body: { records: [{ id: 2, fields: { Age: 86 } }] },
    })
    expect([status, body]).toEqual([200, null])
    expect((await readRecords(rest, table)).map(({ fields }) => fields)).toEqual([
      people[0],
      { ...people[1], Age: 86 },
      people[2],
    ])
  })

  it.each<[string, unknown]>([
    [
      'an unknown row',
      {
        records: [
          { id: 1, fields: { Age: 1 } },
          { id: 99, fields: { Age: 1 } },
        ],
      },
    ],
    [
      'records with different columns',
      {
        records: [
          { id: 1, fields: { Age: 1 } },
          { id: 2, fields: { Name: 'x' } },
        ],
      },
    ],
    ['an id that is text', { records: [{ id: '1', fields: { Age: 1 } }] }],
    ['an unknown column', { records: [{ id: 1, fields: { Nope: 1 } }] }],
  ])('refuses %s with 400, and nothing changes', async (_, body) => {
    const { rest } = system.alice
    await addRecords(rest, table, people)
    const before = await readRecords(rest, table)
    expect((await rest.patch(`${table}/records`, { body })).status).toBe(400)
    expect(await readRecords(rest, table)).toEqual(before)
  })
})

describe('deleting rows', () => {
  it('removes them, ignores ids that are not there, and works at both addresses', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, people)
    expect((await rest.post(`${table}/records/delete`, { body: [1, 77] })).status).toBe(200)
    expect((await rest.post(`${table}/data/delete`, { body: [2] })).status).toBe(200)
    expect((await readRecords(rest, table)).map(({ id }) => id)).toEqual([3])
  })

  it('clears references to them', async () => {
    const { rest } = system.alice
    await addRecords(rest, table, people)
    await addTable(rest, doc, 'Visits', { Who: 'Ref:People', Also: 'RefList:People' })
    await addRecords(rest, `${doc}/tables/Visits`, [
      { Who: 1, Also: ['L', 1, 2] },
      { Who: 2, Also: ['L', 1] },
    ])
    await rest.post(`${table}/records/delete`, { body: [1] })
    expect((await readRecords(rest, `${doc}/tables/Visits`)).map(({ fields }) => fields)).toEqual([
      { Who: 0, Also: ['L', 2] },
      { Who: 2, Also: null },
    ])
  })
})
