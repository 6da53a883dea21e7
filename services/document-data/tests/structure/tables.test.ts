import { newColumns, TestInstance } from '../support/test-instance'

describe('tables', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    instance = await TestInstance.start()
    docId = await instance.clients.createDocument()
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const add = async (tables: { id: string; columns: object[] }[]) => {
    const { clients } = instance
    const wished = tables.map(({ id, columns }) => ({ id, columns: newColumns(columns) }))
    const call = await clients.as(docId, 'editors')
    return clients.tables.addTables({ docId, tables: wished }, call)
  }
  const columnsOf = async (tableId: string) => {
    const { clients } = instance
    const call = await clients.as(docId, 'viewers')
    const { columns } = await clients.columns.listColumns({ docId, tableId, hidden: true }, call)
    return columns.map(({ id, fields }) => [id, fields?.type, fields?.isFormula, fields?.label])
  }

  it('adds tables with data columns of type Text unless told otherwise', async () => {
    const { tableIds, seq } = await add([
      {
        id: 'people',
        columns: [
          {},
          { id: 'Age', fields: { type: 'Int', label: 'Years' } },
          { id: 'Double', fields: { formula: '$Age * 2' } },
          { id: 'Later', fields: { isFormula: true } },
          { id: 'Trigger', fields: { isFormula: false, formula: '1' } },
        ],
      },
    ])
    expect(tableIds).toEqual(['People'])
    expect(seq).toBe(2)
    expect(await columnsOf('People')).toEqual([
      ['manualSort', 'ManualSortPos', false, 'manualSort'],
      ['A', 'Text', false, 'A'],
      ['Age', 'Int', false, 'Years'],
      ['Double', 'Any', true, 'Double'],
      ['Later', 'Any', true, 'Later'],
      ['Trigger', 'Text', false, 'Trigger'],
    ])
  })

  it('describes columns, and shows the column of references that is asked for, as columns that are added later', async () => {
    const { clients } = instance
    await add([{ id: 'Cities', columns: [{ id: 'Name' }, { id: 'Land' }] }])
    const call = await clients.as(docId, 'editors')
    const listed = await clients.columns.listColumns(
      { docId, tableId: 'Cities', hidden: false },
      call,
    )
    const visibleCol = listed.columns[1]?.colRef
    const described = { description: 'Where', untieColIdFromLabel: true }
    const fields = { type: 'Ref:Cities', isFormula: false, visibleCol, ...described }
    await add([{ id: 'Shops', columns: [{ id: 'City', fields }] }])
    const columns = newColumns([{ id: 'Branch', fields }])
    await clients.columns.addColumns({ docId, tableId: 'Shops', columns }, call)
    const shops = await clients.columns.listColumns(
      { docId, tableId: 'Shops', hidden: false },
      call,
    )
    expect(shops.columns).toMatchObject([
      { id: 'City', fields },
      { id: 'Branch', fields },
    ])
  })

  it('makes ids unique without regard to case, also within one request', async () => {
    const { tableIds } = await add([
      { id: 'foo', columns: [{}] },
      { id: 'Foo', columns: [{}] },
      { id: 'FOO2', columns: [{}] },
      { id: '', columns: [{}] },
    ])
    expect(tableIds).toEqual(['Foo', 'Foo2', 'FOO2_2', 'Table2'])
  })

  it('makes ids that SQLite keeps for itself usable', async () => {
    const { tableIds } = await add([
      { id: 'sqlite_master', columns: [{ id: 'rowid' }, { id: 'select' }, { id: 'id' }] },
    ])
    const [tableId = ''] = tableIds
    await instance.clients.add(docId, tableId, [{ rowid: 'x', select: 'y', id2: 'z' }])
    expect(await instance.clients.read(docId, tableId)).toEqual([
      { id: 1, fields: { rowid: 'x', select: 'y', id2: 'z' } },
    ])
  })

  it('adds all tables or none', async () => {
    const before = await instance.clients.tables.listTables(
      { docId, withColumns: false },
      await instance.clients.as(docId, 'viewers'),
    )
    await expect(
      add([
        { id: 'Fine', columns: [{}] },
        { id: 'Bad', columns: [{ fields: { type: 'Nope' } }] },
      ]),
    ).rejects.toMatchObject({ code: 'invalid', reason: 'UNKNOWN_COLUMN_TYPE' })
    await expect(add([{ id: 'Empty', columns: [] }])).rejects.toMatchObject({ code: 'invalid' })
    await expect(add([])).rejects.toMatchObject({ code: 'invalid' })
    const after = await instance.clients.tables.listTables(
      { docId, withColumns: false },
      await instance.clients.as(docId, 'viewers'),
    )
    expect(after).toEqual(before)
    expect(await instance.clients.add(docId, 'Foo', [{ A: 'x' }])).toEqual([1])
  })

  it('bounds the columns of all tables of one request', async () => {
    const columns = Array.from({ length: 1_800 }, () => ({}))
    const tables = ['P', 'Q', 'R'].map((id) => ({ id, columns }))
    await expect(add(tables)).rejects.toMatchObject({ code: 'invalid', reason: 'TOO_MANY_COLUMNS' })
  })

  it('is read by ref as well, and as metadata', async () => {
    const { clients } = instance
    await clients.add(docId, '2', [{ Age: 5 }])
    expect(await clients.read(docId, 'People')).toEqual(await clients.read(docId, '2'))
    const rows = await clients.read(docId, '_grist_Tables', { limit: 2 })
    expect(rows.map(({ id, fields }) => [id, fields.tableId])).toEqual([
      [1, 'Table1'],
      [2, 'People'],
    ])
    const [column] = await clients.read(docId, '_grist_Tables_column', {
      filterJson: Buffer.from('{"colId":["Age"]}'),
    })
    expect(column?.fields).toMatchObject({
      parentId: 2,
      type: 'Int',
      isFormula: false,
      rules: null,
    })
  })

  it('knows no other tables', async () => {
    const { clients } = instance
    for (const tableId of ['Nope', 'people', '99', '_sheaf_log', 'sqlite_schema', '_grist_Nope'])
      await expect(clients.read(docId, tableId)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(`^Table not found "${tableId}"`) as string,
      })
    await expect(clients.add(docId, '_grist_Tables', [{ tableId: 'X' }])).rejects.toMatchObject({
      code: 'invalid',
      reason: 'TABLE_READ_ONLY',
    })
  })
})
