import { newDocument, useSystem } from '../support/system'

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
})
