import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { TableUpdate } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { TestInstance } from '../support/test-instance'

describe('changes of tables', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    instance = await TestInstance.start()
  })
  afterAll(() => instance[Symbol.asyncDispose]())
  beforeEach(async () => {
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Pets', { Name: 'Text', Mate: 'Ref:Pets' })
    await clients.addTable(docId, 'Visits', { Pet: 'Ref:Pets', All: 'RefList:Pets', At: 'Date' })
    await clients.add(docId, 'Pets', [{ Name: 'Rex' }, { Name: 'Tom', Mate: 1 }])
    await clients.add(docId, 'Visits', [
      { Pet: 2, All: ['L', 2] },
      { All: ['L', 1, 2] },
      { All: '[x' },
    ])
  })

  const update = async (tables: object[]) => {
    const request = { docId, tables: tables.map((table) => TableUpdate.fromPartial(table)) }
    const call = await instance.clients.as(docId, 'editors')
    return (await instance.clients.tables.updateTables(request, call)).seq
  }
  const list = async () => {
    const call = await instance.clients.as(docId, 'viewers')
    const request = { docId, withColumns: true }
    return (await instance.clients.tables.listTables(request, call)).tables
  }
  const ids = async () => (await list()).map(({ id }) => id)
  const types = async (tableId: string) =>
    (await list())
      .find(({ id }) => id === tableId)
      ?.columns.map(({ id, fields }) => `${id}:${fields?.type}`)

  it('rename a table, and what refers to it follows', async () => {
    await update([{ id: 'Pets', tableId: 'my animals' }])
    expect(await ids()).toEqual(['Table1', 'My_animals', 'Visits'])
    expect(await types('Visits')).toEqual([
      'Pet:Ref:My_animals',
      'All:RefList:My_animals',
      'At:Date',
    ])
    expect(await types('My_animals')).toEqual(['Name:Text', 'Mate:Ref:My_animals'])
    expect((await instance.clients.read(docId, 'Visits'))[0]?.fields).toMatchObject({ Pet: 2 })
    await expect(instance.clients.read(docId, 'Pets')).rejects.toMatchObject({ code: 'not_found' })
    await instance.clients.remove(docId, 'My_animals', [2])
    expect((await instance.clients.read(docId, 'Visits'))[0]?.fields).toMatchObject({ Pet: 0 })
  })

  it('number a name that is taken, change the case of one, and let tables change places', async () => {
    await update([{ id: 'Visits', tableId: 'PETS' }])
    expect(await ids()).toEqual(['Table1', 'Pets', 'PETS2'])
    await update([{ id: 'Pets', tableId: 'PETS' }])
    expect(await types('PETS2')).toContain('Pet:Ref:PETS')
    await update([
      { id: 'PETS', tableId: 'Interim' },
      { id: 'PETS2', tableId: 'PETS' },
      { id: 'PETS', tableId: 'Pets2' },
    ])
    expect(await ids()).toEqual(['Table1', 'Pets2', 'PETS'])
    expect(await instance.clients.read(docId, 'Pets2')).toHaveLength(2)
  })

  it('set onDemand; refs may be there when they are what they are', async () => {
    const [, pets] = await list()
    const refs = { tableRef: pets?.tableRef, primaryViewId: 0, summarySourceTable: 0 }
    await update([{ id: 'Pets', onDemand: true, ...refs }])
    expect((await list())[1]?.onDemand).toBe(true)
    await expect(update([{ id: 'Pets', tableId: 'X', tableRef: 1 }])).rejects.toMatchObject({
      code: 'invalid',
      reason: 'READ_ONLY_FIELD',
    })
    await expect(
      update([
        { id: 'Pets', tableId: 'X' },
        { id: 'Nope', tableId: 'Y' },
      ]),
    ).rejects.toMatchObject({ code: 'not_found', message: 'Table not found "Nope"' })
    await expect(update([])).rejects.toMatchObject({ reason: 'NO_TABLES' })
    await expect(update([{ id: '_grist_Tables', tableId: 'X' }])).rejects.toMatchObject({
      reason: 'TABLE_READ_ONLY',
    })
    expect(await ids()).toEqual(['Table1', 'Pets', 'Visits'])
  })

  it('remove a table as a row of the metadata; references become numbers and text', async () => {
    const { clients } = instance
    const seq = await clients.remove(docId, '_grist_Tables', [2, 99])
    expect(await ids()).toEqual(['Table1', 'Visits'])
    expect(await types('Visits')).toEqual(['Pet:Int', 'All:Text', 'At:Date'])
    const rows = await clients.read(docId, 'Visits')
    expect(rows.map(({ fields }) => [fields.Pet, fields.All])).toEqual([
      [2, '2'],
      [0, '1, 2'],
      [0, '[x'],
    ])
    const call = await clients.as(docId, 'editors')
    const request = ReadChangesRequest.fromPartial({ docId, afterSeq: seq - 1, limit: 1 })
    for await (const { change } of clients.changes.readChanges(request, call)) {
      const [removed, table] = change?.operations.map(({ operation }) => operation) ?? []
      expect(removed).toMatchObject({ $case: 'removeRows', value: { rowIds: [1, 2] } })
      expect(table).toMatchObject({ $case: 'schema', value: { kind: 'remove_table', tableRef: 2 } })
    }
    // Its ref is not given again, but its name may be.
    expect(await clients.remove(docId, '_grist_Tables', [3])).toBe(seq + 1)
    await clients.addTable(docId, 'Pets', { A: 'Text' })
    expect((await list()).map(({ id, tableRef }) => [id, tableRef])).toEqual([
      ['Table1', 1],
      ['Pets', 4],
    ])
    expect(await clients.read(docId, 'Pets')).toEqual([])
  })

  it('change and remove columns as rows of the metadata', async () => {
    const { clients } = instance
    const columns = await clients.read(docId, '_grist_Tables_column', {
      filterJson: Buffer.from('{"parentId":[2]}'),
    })
    const refOf = (colId: string) => columns.find(({ fields }) => fields.colId === colId)?.id ?? 0
    await clients.update(docId, '_grist_Tables_column', [
      { id: refOf('Name'), fields: { label: 'Called', type: 'Choice' } },
    ])
    await clients.remove(docId, '_grist_Tables_column', [refOf('Mate')])
    expect(await types('Pets')).toEqual(['Called:Choice'])
    await clients.update(docId, '_grist_Tables', [{ id: 2, fields: { tableId: 'Cats' } }])
    expect(await types('Visits')).toContain('Pet:Ref:Cats')
  })

  it.each<[string, string, number, Record<string, unknown>]>([
    ['INVALID_COLUMN', '_grist_Tables', 2, { primaryViewId: 1 }],
    ['INVALID_COLUMN', '_grist_Tables_column', 2, { parentId: 1 }],
    ['INVALID_VALUE', '_grist_Tables', 2, { tableId: 5 }],
    ['INVALID_VALUE', '_grist_Tables_column', 2, { rules: 'x' }],
    ['INVALID_ROW_ID', '_grist_Tables', 99, { tableId: 'X' }],
    ['INVALID_ROW_ID', '_grist_Tables_column', 999, { label: 'X' }],
    ['COLUMN_READ_ONLY', '_grist_Tables_column', 1, { label: 'X' }],
    ['TABLE_READ_ONLY', '_grist_DocInfo', 1, { timezone: 'UTC' }],
  ])('refuse with %s what cannot be written of the metadata', async (reason, table, id, fields) => {
    const { clients } = instance
    const before = await list()
    await expect(clients.update(docId, table, [{ id, fields }])).rejects.toMatchObject({
      code: 'invalid',
      reason,
    })
    await expect(clients.add(docId, table, [fields])).rejects.toMatchObject({
      code: 'invalid',
      reason: 'TABLE_READ_ONLY',
    })
    expect(await list()).toEqual(before)
  })
})
