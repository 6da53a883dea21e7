import { newColumns, TestInstance } from '../support/test-instance'

describe('columns', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    instance = await TestInstance.start()
    docId = await instance.clients.createDocument()
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const add = async (tableId: string, columns: object[]) => {
    const call = await instance.clients.as(docId, 'editors')
    const request = { docId, tableId, columns: newColumns(columns) }
    return instance.clients.columns.addColumns(request, call)
  }
  const list = async (tableId: string, hidden = false) => {
    const call = await instance.clients.as(docId, 'viewers')
    return (await instance.clients.columns.listColumns({ docId, tableId, hidden }, call)).columns
  }

  it('adds empty columns unless told otherwise', async () => {
    const { columnIds } = await add('Table1', [
      {},
      { id: 'été', fields: { label: 'Summer', description: 'Of 2024' } },
      { id: 'n', fields: { type: 'Int' } },
      { id: 'd', fields: { isFormula: false } },
      { id: 'when', fields: { isFormula: false, type: 'DateTime' } },
    ])
    expect(columnIds).toEqual(['D', 'ete', 'n', 'd2', 'when'])
    const columns = new Map((await list('Table1')).map((column) => [column.id, column.fields]))
    expect(columns.get('D')).toMatchObject({ type: 'Any', isFormula: true, label: 'D' })
    expect(columns.get('ete')).toMatchObject({ label: 'Summer', description: 'Of 2024' })
    expect(columns.get('n')).toMatchObject({ type: 'Int', isFormula: true })
    expect(columns.get('d2')).toMatchObject({ type: 'Text', isFormula: false })
    expect(columns.get('when')).toMatchObject({ type: 'DateTime:UTC' })
  })

  it('gives existing rows the default of a new column', async () => {
    const { clients } = instance
    await clients.addTable(docId, 'Old', { A: 'Text' })
    await clients.add(docId, 'Old', [{ A: 'x' }])
    const fields = { isFormula: false }
    await add('Old', [
      { id: 'T', fields: { ...fields, type: 'Text' } },
      { id: 'N', fields: { ...fields, type: 'Numeric' } },
      { id: 'B', fields: { ...fields, type: 'Bool' } },
      { id: 'D', fields: { ...fields, type: 'Date' } },
      { id: 'R', fields: { ...fields, type: 'Ref:Table1' } },
      { id: 'L', fields: { ...fields, type: 'ChoiceList' } },
      { id: 'Typed', fields: { type: 'Int' } },
    ])
    const defaults = { T: '', N: 0, B: false, D: null, R: 0, L: null, Typed: 0 }
    await clients.add(docId, 'Old', [{ A: 'y' }])
    expect(await clients.read(docId, 'Old')).toEqual([
      { id: 1, fields: { A: 'x', ...defaults } },
      { id: 2, fields: { A: 'y', ...defaults } },
    ])
  })

  it('keeps position, widget options and column lists', async () => {
    const [first] = await list('Old')
    const deps = Buffer.from(JSON.stringify(['L', first?.colRef]))
    await add('Old', [
      {
        id: 'early',
        fields: { parentPos: 0.5, widgetOptions: '{"a":1}', recalcWhen: 2, recalcDepsJson: deps },
      },
    ])
    const [early] = await list('Old', true)
    expect(early?.id).toBe('early')
    expect(early?.fields).toMatchObject({ widgetOptions: '{"a":1}', recalcWhen: 2, parentPos: 0.5 })
    expect(early?.fields?.recalcDepsJson?.toString()).toBe(deps.toString())
    expect(early?.fields?.rulesJson?.toString()).toBe('null')
  })

  it('adds all columns or none', async () => {
    const before = await list('Table1')
    await expect(add('Table1', [{ id: 'ok' }, { fields: { type: 'Nope' } }])).rejects.toMatchObject(
      { code: 'invalid', reason: 'UNKNOWN_COLUMN_TYPE', metadata: { field: 'type', type: 'Nope' } },
    )
    await expect(add('Table1', [])).rejects.toMatchObject({ code: 'invalid' })
    await expect(add('Nope', [{}])).rejects.toMatchObject({ code: 'not_found' })
    const rulesJson = Buffer.from('["L","x"]')
    await expect(add('Table1', [{ fields: { rulesJson } }])).rejects.toMatchObject({
      code: 'invalid',
    })
    expect(await list('Table1')).toEqual(before)
  })
})
