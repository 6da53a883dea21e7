import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { TestInstance } from '../support/test-instance'

describe('changes of columns', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    instance = await TestInstance.start()
  })
  afterAll(() => instance[Symbol.asyncDispose]())
  beforeEach(async () => {
    docId = await instance.clients.createDocument()
    await instance.clients.addTable(docId, 'Pets', { Name: 'Text', Age: 'Text', Mate: 'Ref:Pets' })
    await instance.clients.add(docId, 'Pets', [
      { Name: 'Rex', Age: '3' },
      { Name: 'Tom', Age: 'x' },
    ])
  })

  const updates = (columns: object[]) => columns.map((column) => ColumnUpdate.fromPartial(column))
  const update = async (columns: object[], tableId = 'Pets') => {
    const call = await instance.clients.as(docId, 'editors')
    const request = { docId, tableId, columns: updates(columns) }
    return (await instance.clients.columns.updateColumns(request, call)).seq
  }
  const put = async (columns: object[], options: object = {}) => {
    const call = await instance.clients.as(docId, 'editors')
    const flags = { noAdd: false, noUpdate: false, replaceAll: false, ...options }
    const request = { docId, tableId: 'Pets', columns: updates(columns), ...flags }
    return (await instance.clients.columns.addOrUpdateColumns(request, call)).seq
  }
  const remove = async (columnId: string, tableId = 'Pets') => {
    const call = await instance.clients.as(docId, 'editors')
    return (await instance.clients.columns.deleteColumn({ docId, tableId, columnId }, call)).seq
  }
  const list = async (tableId = 'Pets') => {
    const call = await instance.clients.as(docId, 'viewers')
    const request = { docId, tableId, hidden: true }
    return (await instance.clients.columns.listColumns(request, call)).columns
  }
  const ids = async () => (await list()).map(({ id }) => id)
  const entry = async (seq: number) => {
    const call = await instance.clients.as(docId, 'editors')
    const request = ReadChangesRequest.fromPartial({ docId, afterSeq: seq - 1, limit: 1 })
    for await (const { change } of instance.clients.changes.readChanges(request, call))
      return change?.operations.map(({ operation }) => operation)
    return undefined
  }
  const json = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as unknown

  it('rename by the label unless it is untied, or by colId, which wins', async () => {
    await update([{ id: 'Name', fields: { label: 'The name!' } }])
    await update([{ id: 'Age', fields: { label: 'Years', untieColIdFromLabel: true } }])
    expect(await ids()).toEqual(['manualSort', 'The_name_', 'Age', 'Mate'])
    await update([{ id: 'Age', fields: { untieColIdFromLabel: false } }])
    await update([{ id: 'Mate', fields: { label: 'Friend', colId: 'years' } }])
    expect(await ids()).toEqual(['manualSort', 'The_name_', 'Years', 'years2'])
    expect((await instance.clients.read(docId, 'Pets'))[0]?.fields).toEqual({
      The_name_: 'Rex',
      Years: '3',
      years2: 0,
    })
  })

  it('let columns change places in one request', async () => {
    await update([
      { id: 'Name', fields: { colId: 'Interim' } },
      { id: 'Age', fields: { colId: 'Name' } },
      { id: 'Name', fields: { colId: 'Age' } },
    ])
    expect((await instance.clients.read(docId, 'Pets'))[0]?.fields).toEqual({
      Age: 'Rex',
      Name: '3',
      Mate: 0,
    })
  })

  it('change the case of an id', async () => {
    await update([{ id: 'Name', fields: { colId: 'NAME' } }])
    expect(await ids()).toContain('NAME')
    expect((await instance.clients.read(docId, 'Pets'))[0]?.fields).toMatchObject({ NAME: 'Rex' })
  })

  it('convert the cells to a new type as one entry of the log, which keeps the old ones', async () => {
    const seq = await update([{ id: 'Age', fields: { type: 'Int', label: 'Years' } }])
    expect(await instance.clients.read(docId, 'Pets')).toEqual([
      { id: 1, fields: { Name: 'Rex', Years: 3, Mate: 0 } },
      { id: 2, fields: { Name: 'Tom', Years: 'x', Mate: 0 } },
    ])
    const [schema, rows] = (await entry(seq)) ?? []
    if (schema?.$case !== 'schema' || rows?.$case !== 'updateRows') throw new Error('not so')
    expect([schema.value.kind, schema.value.colId]).toEqual(['update_column', 'Age'])
    expect(json(schema.value.oldJson)).toEqual({ colId: 'Age', type: 'Text', label: 'Age' })
    expect(json(schema.value.newJson)).toEqual({ colId: 'Years', type: 'Int', label: 'Years' })
    const [column] = rows.value.columns
    expect([rows.value.rowIds, column?.colId]).toEqual([[1], 'Years'])
    expect(
      [column?.oldValuesJson, column?.newValuesJson].map((b) => json(b ?? Buffer.of())),
    ).toEqual([['3'], [3]])
    // A number is stored as one, not as the text that the column held before.
    await instance.clients.add(docId, 'Pets', [{ Years: 7 }])
    const filterJson = Buffer.from('{"Years":[7]}')
    expect(await instance.clients.read(docId, 'Pets', { filterJson })).toHaveLength(1)
  })

  it('show lists of the old type in the log as they were', async () => {
    await update([{ id: 'Name', fields: { type: 'ChoiceList' } }])
    await instance.clients.update(docId, 'Pets', [{ id: 1, fields: { Name: ['L', 'p', 'q'] } }])
    const seq = await update([{ id: 'Name', fields: { type: 'Text' } }])
    const rows = (await entry(seq))?.[1]
    if (rows?.$case !== 'updateRows') throw new Error('not so')
    const [column] = rows.value.columns
    expect(json(column?.oldValuesJson ?? Buffer.of())).toEqual([['L', 'p', 'q']])
    expect(json(column?.newValuesJson ?? Buffer.of())).toEqual(["('p', 'q')"])
  })

  it('make a column computed, whose cells cannot be written, and data again, which keeps the results', async () => {
    await update([{ id: 'Age', fields: { isFormula: true, formula: '$Name' } }])
    await instance.clients.add(docId, 'Pets', [{ Name: 'Kit' }])
    const ages = async () =>
      (await instance.clients.read(docId, 'Pets')).map(({ fields }) => fields.Age)
    expect(await ages()).toEqual(['Rex', 'Tom', 'Kit'])
    await expect(instance.clients.add(docId, 'Pets', [{ Age: 'x' }])).rejects.toMatchObject({
      code: 'invalid',
      reason: 'FORMULA_COLUMN',
      message: expect.stringContaining('"Age"') as string,
    })
    await update([{ id: 'Age', fields: { isFormula: false, type: 'Text' } }])
    expect(await ages()).toEqual(['Rex', 'Tom', 'Kit'])
  })

  it('change nothing, and add no entry, when nothing is asked or all is so already', async () => {
    const before = await update([{ id: 'Name', fields: {} }])
    const [, column] = await list()
    const same = { id: 'Name', colRef: column?.colRef, tableRef: column?.tableRef, reverseCol: 0 }
    expect(await update([{ ...same, fields: { label: 'Name', type: 'Text' } }])).toBe(before)
  })

  it.each<[string, string, object[]]>([
    ['COLUMN_NOT_FOUND', 'not_found', [{ id: 'Name', fields: { label: 'x' } }, { id: 'Zz' }]],
    ['UNKNOWN_COLUMN_TYPE', 'invalid', [{ id: 'Name', fields: { label: 'x', type: 'Nope' } }]],
    ['READ_ONLY_FIELD', 'invalid', [{ id: 'Name', fields: { label: 'x' }, colRef: 99 }]],
    ['BAD_FIELD', 'invalid', [{ id: 'Name', fields: { recalcWhen: 9 } }]],
    ['BAD_FIELD', 'invalid', [{ id: 'Name', fields: { visibleCol: -1 } }]],
    ['BAD_FIELD', 'invalid', [{ id: 'Name', fields: { displayCol: 1 } }]],
    ['BAD_FIELD', 'invalid', [{ id: 'Name', fields: { parentPos: Infinity } }]],
    ['COLUMN_READ_ONLY', 'invalid', [{ id: 'manualSort', fields: { colId: 'x' } }]],
    ['COLUMN_READ_ONLY', 'invalid', [{ id: 'manualSort', fields: { type: 'Text' } }]],
    ['NO_COLUMNS', 'invalid', []],
  ])('are refused with %s, and nothing changes', async (reason, code, columns) => {
    const before = await list()
    await expect(update(columns)).rejects.toMatchObject({ code, reason })
    expect(await list()).toEqual(before)
  })

  it('add or update as asked', async () => {
    const wish = [
      { id: 'Age', fields: { type: 'Int' } },
      { id: 'New', fields: { type: 'Bool' } },
    ]
    await put(wish, { noAdd: true, noUpdate: true })
    const types = async () => (await list()).map(({ id, fields }) => `${id}:${fields?.type}`)
    const rest = ['manualSort:ManualSortPos', 'Name:Text']
    expect(await types()).toEqual([...rest, 'Age:Text', 'Mate:Ref:Pets'])
    await put(wish, { noAdd: true })
    expect(await types()).toEqual([...rest, 'Age:Int', 'Mate:Ref:Pets'])
    await put([{ id: 'Age', fields: { type: 'Text' } }, wish[1] ?? {}], { noUpdate: true })
    expect(await types()).toEqual([...rest, 'Age:Int', 'Mate:Ref:Pets', 'New:Bool'])
    await put([{ id: 'Age', fields: {} }], { replaceAll: true })
    expect(await types()).toEqual(['manualSort:ManualSortPos', 'Age:Int'])
    await put([{ id: 'Zz', fields: {} }], { replaceAll: true, noAdd: true, noUpdate: true })
    expect(await ids()).toEqual(['manualSort'])
    expect(await instance.clients.read(docId, 'Pets')).toHaveLength(2)
  })

  it('remove a column and what refers to it, and never give its ref again', async () => {
    const columns = await list()
    const ref = columns[3]?.colRef ?? 0
    const [name] = columns.filter(({ id }) => id === 'Name')
    const deps = Buffer.from(JSON.stringify(['L', name?.colRef, ref]))
    await update([
      { id: 'Mate', fields: { visibleCol: name?.colRef } },
      { id: 'Age', fields: { recalcDepsJson: deps } },
    ])
    const seq = await remove('Name')
    const left = await list()
    expect(left.map(({ id, fields }) => [id, fields?.visibleCol])).toContainEqual(['Mate', 0])
    expect(json(left[1]?.fields?.recalcDepsJson ?? Buffer.of())).toEqual(['L', ref])
    const operations = await entry(seq)
    expect(operations?.[0]).toMatchObject({
      $case: 'schema',
      value: { kind: 'remove_column', colId: 'Name', colRef: name?.colRef },
    })
    await remove('Mate')
    await put([{ id: 'Mate', fields: {} }])
    expect((await list()).at(-1)?.colRef).toBe(ref + 1)
  })

  it.each([
    ['Zz', 'Pets', 'not_found', 'Table or column not found "Pets.Zz"'],
    ['id', 'Pets', 'not_found', 'Table or column not found "Pets.id"'],
    ['Name', 'Nope', 'not_found', 'Table or column not found "Nope.Name"'],
    ['$Age', 'Pets', 'invalid', '"$Age" is not a valid column id'],
    ['manualSort', 'Pets', 'invalid', 'column "manualSort" is managed by the system'],
    ['tableId', '_grist_Tables', 'invalid', 'cannot be written as records'],
  ])('do not remove %s of %s', async (column, table, code, message) => {
    await expect(remove(column, table)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    })
    expect(await ids()).toEqual(['manualSort', 'Name', 'Age', 'Mate'])
  })
})
