import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()

interface Tables {
  tables: { id: string; fields?: { tableRef: number } }[]
}

describe('tables', () => {
  it('are added with normalised ids, and listed with their refs', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const columns = [{ id: 'A' }]
    const wishes = ['people', 'People', 'été 2024', '123', '', 'class', undefined]
    const { body } = await rest.post<Tables>(`${doc}/tables`, {
      body: { tables: wishes.map((id) => ({ id, columns })) },
    })
    const ids = ['People', 'People2', 'Ete_2024', 'T123', 'Table2', 'Class', 'Table3']
    expect(body.tables).toEqual(ids.map((id) => ({ id })))
    const listed = await rest.get<Tables>(`${doc}/tables`)
    expect(listed.body.tables.map(({ id }) => id)).toEqual(['Table1', ...ids])
    const ref = listed.body.tables[1]?.fields?.tableRef
    expect((await rest.get(`${doc}/tables/${ref}/columns`)).status).toBe(200)
  })

  it.each<[string, unknown]>([
    ['no tables', {}],
    ['an empty list', { tables: [] }],
    ['a table without columns', { tables: [{ id: 'X' }] }],
    ['a table with an empty list of columns', { tables: [{ id: 'X', columns: [] }] }],
    [
      'an unknown column type',
      { tables: [{ id: 'X', columns: [{ id: 'A', fields: { type: 'Nope' } }] }] },
    ],
    [
      'a good table before a bad one',
      { tables: [{ id: 'X', columns: [{ id: 'A' }] }, { id: 'Y' }] },
    ],
    [
      'widget options that are no text',
      { tables: [{ id: 'X', columns: [{ id: 'A', fields: { widgetOptions: {} } }] }] },
    ],
  ])('refuse %s with 400, and nothing changes', async (_, body) => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const { status, body: answer } = await rest.post<{ error: string }>(`${doc}/tables`, { body })
    expect([status, typeof answer.error]).toEqual([400, 'string'])
    expect((await rest.get<Tables>(`${doc}/tables`)).body.tables.length).toBe(1)
  })

  it('are renamed with what refers to them, and deleted as rows of the metadata', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Pets', { Name: 'Text' })
    await addTable(rest, doc, 'Visits', { Pet: 'Ref:Pets', All: 'RefList:Pets' })
    await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Rex' }])
    await addRecords(rest, `${doc}/tables/Visits`, [{ Pet: 1, All: ['L', 1] }])
    const rename = { id: 'Pets', fields: { tableId: 'my pets', tableRef: 2 } }
    const renamed = await rest.patch(`${doc}/tables`, { body: { tables: [rename] } })
    expect([renamed.status, renamed.body]).toEqual([200, null])
    const typesOf = async (tableId: string) => {
      const { body } = await rest.get<{
        tables: { id: string; columns: { fields: { type: string } }[] }[]
      }>(`${doc}/tables`, { query: { expand: 'column' } })
      const table = body.tables.find(({ id }) => id === tableId)
      return table?.columns.map(({ fields }) => fields.type)
    }
    expect(await typesOf('Visits')).toEqual(['Ref:My_pets', 'RefList:My_pets'])
    expect((await rest.get(`${doc}/tables/Pets/records`)).status).toBe(404)
    expect((await rest.get(`${doc}/tables/my pets/records`)).status).toBe(400)
    const path = `${doc}/tables/_grist_Tables`
    const tables = await readRecords(rest, path)
    expect(tables.map(({ fields }) => fields.tableId)).toEqual(['Table1', 'My_pets', 'Visits'])
    expect((await rest.post(`${path}/data/delete`, { body: [2] })).body).toBeNull()
    expect(await typesOf('Visits')).toEqual(['Int', 'Text'])
    expect((await readRecords(rest, `${doc}/tables/Visits`))[0]?.fields).toEqual({
      Pet: 1,
      All: '1',
    })
    await rest.post(`${path}/records/delete`, { body: [3] })
    expect((await rest.get<Tables>(`${doc}/tables`)).body.tables.map(({ id }) => id)).toEqual([
      'Table1',
    ])
  })

  it.each<[number, string, unknown]>([
    [400, 'no tables', {}],
    [400, 'an empty list', { tables: [] }],
    [400, 'a table without fields', { tables: [{ id: 'Table1' }] }],
    [400, 'an unknown field', { tables: [{ id: 'Table1', fields: { bad: 1 } }] }],
    [400, 'another ref', { tables: [{ id: 'Table1', fields: { tableId: 'X', tableRef: 9 } }] }],
    [400, 'a name that is no text', { tables: [{ id: 'Table1', fields: { tableId: null } }] }],
    [
      400,
      'tables that set different fields',
      {
        tables: [
          { id: 'Table1', fields: { tableId: 'X' } },
          { id: 'Table1', fields: { onDemand: true } },
        ],
      },
    ],
    [
      404,
      'a table that is not there, behind one that is',
      {
        tables: [
          { id: 'Table1', fields: { tableId: 'X' } },
          { id: 'Nope', fields: { tableId: 'Y' } },
        ],
      },
    ],
  ])('answer %i to a change with %s, and nothing changes', async (status, _, body) => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const answer = await rest.patch<{ error: string }>(`${doc}/tables`, { body })
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string'])
    expect((await rest.get<Tables>(`${doc}/tables`)).body.tables.map(({ id }) => id)).toEqual([
      'Table1',
    ])
  })
})
