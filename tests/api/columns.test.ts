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
})
