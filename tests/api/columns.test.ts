import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()

interface Columns {
  columns: { id: string; fields: Record<string, unknown> }[]
}

describe('columns', () => {
  it('are added to a table that holds rows, and the rows show their defaults', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'T', { A: 'Text' })
    const table = `${doc}/tables/T`
    await addRecords(rest, table, [{ A: 'x' }])
    const added = await rest.post<Columns>(`${table}/columns`, {
      body: {
        columns: [
          { id: 'a', fields: { type: 'Int', isFormula: false, label: 'Zahl' } },
          { id: 'Größe', fields: { type: 'Bool', isFormula: false } },
        ],
      },
    })
    expect(added.body).toEqual({ columns: [{ id: 'a2' }, { id: 'Gro_e' }] })
    expect(await readRecords(rest, table)).toEqual([
      { id: 1, fields: { A: 'x', a2: 0, Gro_e: false } },
    ])
    const { body } = await rest.get<Columns>(`${table}/columns`)
    expect(body.columns[1]).toMatchObject({
      id: 'a2',
      fields: { type: 'Int', label: 'Zahl', isFormula: false },
    })
    const hidden = await rest.get<Columns>(`${table}/columns`, { query: { hidden: 1 } })
    expect(hidden.body.columns.map(({ id }) => id)).toContain('manualSort')
  })

  it('that are empty take their type from the first values written', async () => {
    const { rest } = system.alice
    const table = `${await newDocument(rest)}/tables/Table1`
    await rest.post(`${table}/records`, {
      body: { records: [{ fields: { A: '5', B: 'x', C: '2024-01-01' } }] },
    })
    expect((await readRecords(rest, table))[0]?.fields).toEqual({ A: 5, B: 'x', C: 1704067200 })
    const { body } = await rest.get<Columns>(`${table}/columns`)
    expect(body.columns.map(({ fields }) => [fields.type, fields.isFormula])).toEqual([
      ['Numeric', false],
      ['Text', false],
      ['Date', false],
    ])
  })

  it.each<[number, string, string, unknown]>([
    [404, 'a table that is not there', 'Nope', { columns: [{ id: 'A' }] }],
    [400, 'an empty list', 'Table1', { columns: [] }],
    [400, 'an unknown type', 'Table1', { columns: [{ id: 'X', fields: { type: 'Nope' } }] }],
    [400, 'an id that is no text', 'Table1', { columns: [{ id: 5 }] }],
  ])('answer %i to %s, and nothing changes', async (status, _, table, body) => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    expect((await rest.post(`${doc}/tables/${table}/columns`, { body })).status).toBe(status)
    expect((await rest.get<Columns>(`${doc}/tables/Table1/columns`)).body.columns.length).toBe(3)
  })

  it('are modified: labels rename, types convert, and what was read can be sent back', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'T', { A: 'Text', B: 'Text' })
    const table = `${doc}/tables/T`
    await addRecords(rest, table, [{ A: '5', B: 'x' }, { A: 'five' }])
    const change = { id: 'A', fields: { label: 'How many?', type: 'Int' } }
    const changed = await rest.patch(`${table}/columns`, { body: { columns: [change] } })
    expect([changed.status, changed.body]).toEqual([200, null])
    const fields = (await readRecords(rest, table)).map((record) => record.fields)
    expect(fields).toEqual([
      { How_many_: 5, B: 'x' },
      { How_many_: 'five', B: null },
    ])
    const read = await rest.get<Columns>(`${table}/columns`)
    expect((await rest.put(`${table}/columns`, { body: read.body })).status).toBe(200)
    expect((await rest.get<Columns>(`${table}/columns`)).body).toEqual(read.body)
  })

  it('are added or updated, replaced and deleted', async () => {
    const { rest } = system.alice
    const table = `${await newDocument(rest)}/tables/Table1`
    const put = async (query: object, ...columns: object[]) =>
      (await rest.put(`${table}/columns`, { body: { columns }, query: { ...query } })).status
    const ids = async () =>
      (await rest.get<Columns>(`${table}/columns`)).body.columns.map(({ id }) => id)
    expect(await put({}, { id: 'A', fields: { label: 'First' } }, { id: 'N', fields: {} })).toBe(
      200,
    )
    expect(await ids()).toEqual(['First', 'B', 'C', 'N'])
    expect(await put({ replaceall: 1, noadd: 1 }, { id: 'B', fields: {} })).toBe(200)
    expect(await ids()).toEqual(['B'])
    expect((await rest.delete(`${table}/columns/B`)).body).toBeNull()
    expect((await rest.delete(`${table}/columns/B`)).status).toBe(404)
    expect(await ids()).toEqual([])
  })

  it.each<[number, string, unknown]>([
    [404, 'a column that is not there', [{ id: 'Zz', fields: { label: 'x' } }]],
    [400, 'a column without fields', [{ id: 'A' }]],
    [400, 'an empty list', []],
    [400, 'an unknown field', [{ id: 'A', fields: { label: 'x', bogus: 1 } }]],
    [400, 'an unknown type', [{ id: 'A', fields: { label: 'x', type: 'Nope' } }]],
    [400, 'widget options that are no text', [{ id: 'A', fields: { widgetOptions: {} } }]],
    [400, 'rules that are no refs', [{ id: 'A', fields: { rules: 'x' } }]],
    [400, 'another ref', [{ id: 'A', fields: { label: 'x', colRef: 77 } }]],
    [400, 'the column that Sheaf keeps', [{ id: 'manualSort', fields: { label: 'x' } }]],
    [
      400,
      'columns that set different fields',
      [
        { id: 'A', fields: { label: 'x' } },
        { id: 'B', fields: { type: 'Int' } },
      ],
    ],
  ])('answer %i to a change of %s, and nothing changes', async (status, _, columns) => {
    const { rest } = system.alice
    const path = `${await newDocument(rest)}/tables/Table1/columns`
    const before = (await rest.get<Columns>(path)).body
    const answer = await rest.patch<{ error: string }>(path, { body: { columns } })
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string'])
    expect((await rest.get<Columns>(path)).body).toEqual(before)
  })
})
