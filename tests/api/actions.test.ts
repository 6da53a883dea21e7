import { addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let doc = ''

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int', Born: 'Date' })
})

interface Applied {
  readonly actionNum: number
  readonly retValues: readonly unknown[]
  readonly isModification: boolean
}
interface Described {
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
}

const apply = (body: unknown) => system.alice.rest.post<Applied>(`${doc}/apply`, { body })
const results = async (actions: unknown) => {
  const { status, body } = await apply(actions)
  return status === 200 ? body.retValues : body
}
const columnsOf = async (tableId: string) => {
  const { body } = await system.alice.rest.get<{ columns: Described[] }>(
    `${doc}/tables/${tableId}/columns`,
  )
  return body.columns
}
const tablesOf = async () => {
  const { body } = await system.alice.rest.get<{ tables: Described[] }>(`${doc}/tables`)
  return body.tables
}
const refOf = async (tableId: string) =>
  (await tablesOf()).find(({ id }) => id === tableId)?.fields.tableRef
const colRefOf = async (tableId: string, colId: string) =>
  (await columnsOf(tableId)).find(({ id }) => id === colId)?.fields.colRef

describe('applying row actions', () => {
  it('runs them in order as one change, where negative ids name new rows', async () => {
    const { rest } = system.alice
    await addTable(rest, doc, 'Visits', { Pet: 'Ref:Pets', All: 'RefList:Pets' })
    const { body } = await apply([
      ['BulkAddRecord', 'Pets', [-1, null, -2], { Name: ['Rex', 'Tom', 'Kit'] }],
      ['AddRecord', 'Visits', null, { Pet: -2, All: ['L', -1, 2] }],
      ['UpdateRecord', 'Pets', -1, { Age: 5 }],
      ['BulkRemoveRecord', 'Pets', [2]],
    ])
    expect(body).toMatchObject({ retValues: [[1, 2, 3], 1, null, null], isModification: true })
    expect(await readRecords(rest, `${doc}/tables/Visits`)).toEqual([
      { id: 1, fields: { Pet: 3, All: ['L', 1] } },
    ])
    expect(await readRecords(rest, `${doc}/tables/Pets`)).toMatchObject([
      { id: 1, fields: { Age: 5 } },
      { id: 3 },
    ])
    expect((await apply([])).body).toEqual({
      actionNum: 0,
      actionHash: null,
      retValues: [],
      isModification: false,
    })
  })

  it('refuses other actions and leaves nothing of those before', async () => {
    const add = ['AddRecord', 'Pets', null, { Name: 'Rex' }]
    for (const wrong of [
      ['DuplicateTable', 'Pets', 'New', true],
      ['UpdateRecord', 'Pets', 99, { Name: 'x' }],
      ['AddRecord', 'Pets', 1, {}],
      ['AddRecord', 'Pets', null, { zz: 1 }],
      ['AddRecord', '_grist_Tables', null, {}],
      'AddRecord',
    ])
      expect(await apply([add, wrong])).toMatchObject({ status: 400 })
    expect(await apply([add, ['AddRecord', 'Nope', null, {}]])).toMatchObject({ status: 404 })
    expect(await apply({})).toMatchObject({ status: 400 })
    expect(await readRecords(system.alice.rest, `${doc}/tables/Pets`)).toEqual([])
  })
})

describe('applying actions on tables and columns', () => {
  it('adds a table with its rows and a table that refers to them, as one change', async () => {
    const { rest } = system.alice
    const { body } = await apply([
      [
        'AddTable',
        'my owners',
        [
          { id: 'Name', type: 'Text' },
          { id: 'Full name', type: 'Text', formula: '$Name.upper()', isFormula: true },
          { id: null, label: 'Since', type: 'Date', isFormula: false, widgetOptions: '{}' },
        ],
      ],
      ['BulkAddRecord', 'My_owners', [-1, -2], { Name: ['Ann', 'Ben'] }],
      ['AddVisibleColumn', 'Pets', 'Owner', { type: 'Ref:My_owners', isFormula: false }],
      ['AddRecord', 'Pets', null, { Name: 'Rex', Owner: -2 }],
    ])
    expect(body).toMatchObject({
      isModification: true,
      retValues: [
        {
          id: await refOf('My_owners'),
          table_id: 'My_owners',
          columns: ['Name', 'Full_name', 'A'],
          views: [],
        },
        [1, 2],
        { colRef: await colRefOf('Pets', 'Owner'), colId: 'Owner' },
        1,
      ],
    })
    expect(await readRecords(rest, `${doc}/tables/Pets`)).toMatchObject([{ fields: { Owner: 2 } }])
    expect(await columnsOf('My_owners')).toMatchObject([
      { id: 'Name', fields: { type: 'Text', isFormula: false, label: 'Name' } },
      { id: 'Full_name', fields: { isFormula: true, formula: '$Name.upper()' } },
      { id: 'A', fields: { type: 'Date', label: 'Since', widgetOptions: '{}' } },
    ])
    const log = await rest.get<{ changes: object[] }>(`${doc}/changes`, {
      query: { since: body.actionNum - 1 },
    })
    expect(log.body.changes).toHaveLength(1)
  })

  it('renames tables and columns and answers the ids they got', async () => {
    expect(
      await results([
        ['AddRecord', 'Pets', null, { Name: 'Rex', Age: 3 }],
        ['RenameColumn', 'Pets', 'Age', 'how old'],
        ['RenameColumn', 'Pets', 'Born', 'how old'],
        ['RenameTable', 'Pets', 'table1'],
        ['UpdateRecord', 'Table1_2', 1, { how_old: 4 }],
      ]),
    ).toEqual([1, 'how_old', 'how_old2', 'Table1_2', null])
    expect(await readRecords(system.alice.rest, `${doc}/tables/Table1_2`)).toMatchObject([
      { fields: { Name: 'Rex', how_old: 4, how_old2: null } },
    ])
    // A new id leaves the label as it is.
    expect((await columnsOf('Table1_2'))[1]).toMatchObject({ fields: { label: 'Age' } })
  })

  it('changes a column: converts its cells, follows its label, keeps what is not named', async () => {
    await apply([['BulkAddRecord', 'Pets', [null, null], { Age: [3, 4] }]])
    expect(
      await results([
        ['ModifyColumn', 'Pets', 'Age', { type: 'Text', label: 'Age in years', colId: 'ignored' }],
        ['ModifyColumn', 'Pets', 'Age_in_years', { widgetOptions: '{"a":1}', _position: 0.5 }],
        ['ModifyColumn', 'Pets', 'Name', { untieColIdFromLabel: true, description: 'called' }],
        ['ModifyColumn', 'Pets', 'Name', { label: 'The name', isFormula: 0 }],
      ]),
    ).toEqual([null, null, null, null])
    expect(await columnsOf('Pets')).toMatchObject([
      {
        id: 'Age_in_years',
        fields: { type: 'Text', label: 'Age in years', widgetOptions: '{"a":1}', parentPos: 0.5 },
      },
      { id: 'Name', fields: { label: 'The name', description: 'called', type: 'Text' } },
      { id: 'Born' },
    ])
    expect(await readRecords(system.alice.rest, `${doc}/tables/Pets`)).toMatchObject([
      { fields: { Age_in_years: '3' } },
      { fields: { Age_in_years: '4' } },
    ])
  })

  it('adds columns that are empty unless they say otherwise, like a request for columns', async () => {
    const fields = {
      type: 'Ref:Pets',
      isFormula: false,
      visibleCol: await colRefOf('Pets', 'Name'),
    }
    const made = await results([
      ['AddColumn', 'Pets', null, {}],
      ['AddColumn', 'Pets', 'Mate', { ...fields, description: 'Best friend', bogus: 1 }],
      ['AddHiddenColumn', 'Pets', 'gristHelper_Display', { formula: '$Mate.Name' }],
      ['AddColumn', 'Pets', 'Name'],
      ['AddEmptyTable', null],
    ])
    expect(made).toMatchObject([
      { colId: 'A' },
      { colId: 'Mate' },
      { colId: 'gristHelper_Display' },
      { colId: 'Name2' },
      { table_id: 'Table2', columns: ['A', 'B', 'C'] },
    ])
    expect((await columnsOf('Pets')).slice(3)).toMatchObject([
      { id: 'A', fields: { type: 'Any', isFormula: true, formula: '' } },
      { id: 'Mate', fields },
      { id: 'Name2', fields: { isFormula: true } },
    ])
  })

  it('removes columns and tables, and answers null', async () => {
    expect(
      await results([
        ['AddTable', 'Visits', [{ id: 'Pet', type: 'Ref:Pets' }]],
        ['AddRecord', 'Visits', null, { Pet: 7 }],
        ['RemoveColumn', 'Pets', 'Age'],
        ['RemoveTable', 'Pets'],
        ['Calculate'],
      ]),
    ).toMatchObject([{ table_id: 'Visits' }, 1, null, null, null])
    expect((await tablesOf()).map(({ id }) => id)).toEqual(['Table1', 'Visits'])
    expect(await columnsOf('Visits')).toMatchObject([{ fields: { type: 'Int' } }])
    expect((await apply([['Calculate']])).body).toMatchObject({
      actionNum: 0,
      retValues: [null],
      isModification: false,
    })
  })

  it('changes tables and columns by their rows of metadata, together with records', async () => {
    const [name, age, born] = await Promise.all(
      ['Name', 'Age', 'Born'].map((colId) => colRefOf('Pets', colId)),
    )
    const [table1, pets] = [await refOf('Table1'), await refOf('Pets')]
    expect(
      await results([
        ['UpdateRecord', '_grist_Tables', pets, { tableId: 'Animals' }],
        [
          'BulkUpdateRecord',
          '_grist_Tables_column',
          [name, age],
          { colId: ['Called', 'Years'], type: ['Text', 'Numeric'] },
        ],
        ['BulkRemoveRecord', '_grist_Tables_column', [born]],
        ['RemoveRecord', '_grist_Tables', table1],
        ['AddRecord', 'Animals', null, { Called: 'Rex', Years: '1.5' }],
      ]),
    ).toEqual([null, null, null, null, 1])
    expect((await tablesOf()).map(({ id }) => id)).toEqual(['Animals'])
    expect(await readRecords(system.alice.rest, `${doc}/tables/Animals`)).toEqual([
      { id: 1, fields: { Called: 'Rex', Years: 1.5 } },
    ])
  })

  it.each([
    ['an unknown table', ['RenameTable', 'Nope', 'X'], 404, 'Table not found "Nope"'],
    ['an unknown table to remove', ['RemoveTable', 'Nope'], 404, 'Table not found "Nope"'],
    ['an unknown column', ['ModifyColumn', 'Pets', 'zz', {}], 404, 'Column not found "zz"'],
    ['an unknown column to rename', ['RenameColumn', 'Pets', 'zz', 'x'], 404, 'Column not found'],
    ['an unknown column to remove', ['RemoveColumn', 'Pets', 'zz'], 404, '"Pets.zz"'],
    ['an unknown type', ['AddColumn', 'Pets', 'x', { type: 'Nope' }], 400, 'Nope'],
    [
      'an unknown field',
      ['ModifyColumn', 'Pets', 'Age', { bogus: 1 }],
      400,
      '"bogus" in body[1][3]',
    ],
    ['a field of a wrong type', ['AddColumn', 'Pets', 'x', { label: 1 }], 400, 'body[1][3].label'],
    ['widget options that are no text', ['AddTable', 'T', [{ widgetOptions: {} }]], 400, ''],
    ['a column that Sheaf keeps', ['RemoveColumn', 'Pets', 'manualSort'], 400, 'manualSort'],
    ['a table that Sheaf keeps', ['RemoveTable', '_grist_Tables'], 400, '_grist_Tables'],
    ['a new row of metadata', ['AddRecord', '_grist_Tables', null, {}], 400, 'AddTable'],
    ['a row of other metadata', ['UpdateRecord', '_grist_DocInfo', 1, {}], 400, '_grist_DocInfo'],
    ['a row of metadata that is not there', ['UpdateRecord', '_grist_Tables', 99, {}], 400, '99'],
    ['an action that is not supported', ['SetDisplayFormula', 'Pets', null, 1, ''], 400, 'SetDisp'],
  ])('refuses %s and leaves nothing of the actions before', async (_, wrong, status, text) => {
    const made = ['AddTable', 'New', [{ id: 'A' }]]
    const refused = await apply([made, wrong])
    expect(refused).toMatchObject({ status })
    expect(JSON.stringify(refused.body)).toContain(JSON.stringify(text).slice(1, -1))
    expect((await tablesOf()).map(({ id }) => id)).toEqual(['Table1', 'Pets'])
  })
})
