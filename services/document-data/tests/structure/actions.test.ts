import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { TestInstance } from '../support/test-instance'

describe('actions on tables and columns', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    instance = await TestInstance.start()
  })
  afterAll(() => instance[Symbol.asyncDispose]())
  beforeEach(async () => {
    docId = await instance.clients.createDocument()
    await instance.clients.addTable(docId, 'Pets', { Name: 'Text', Age: 'Int' })
    await instance.clients.add(docId, 'Pets', [
      { Name: 'Rex', Age: 3 },
      { Name: 'Tom', Age: 4 },
    ])
  })

  const apply = async (actions: unknown[]) => {
    const request = { docId, bodyJson: Buffer.from(JSON.stringify(actions)), noParse: false }
    const call = await instance.clients.as(docId, 'editors')
    return instance.clients.actions.applyActions(request, call)
  }
  const structure = async () => {
    const call = await instance.clients.as(docId, 'viewers')
    return (await instance.clients.tables.listTables({ docId, withColumns: true }, call)).tables
  }
  const operationsAfter = async (afterSeq: number) => {
    const request = ReadChangesRequest.fromPartial({ docId, afterSeq })
    const call = await instance.clients.as(docId, 'viewers')
    const found: string[] = []
    for await (const { change } of instance.clients.changes.readChanges(request, call))
      for (const { operation } of change?.operations ?? [])
        found.push(
          operation?.$case === 'schema' ? operation.value.kind : (operation?.$case ?? 'none'),
        )
    return found
  }

  it('are one change of the log, which tells each step and can be undone as a whole', async () => {
    const before = [await structure(), await instance.clients.read(docId, 'Pets')]
    const { seq } = await apply([
      ['AddTable', 'Owners', [{ id: 'Name', type: 'Text' }]],
      ['AddRecord', 'Owners', -1, { Name: 'Ann' }],
      ['AddColumn', 'Pets', 'Owner', { type: 'Ref:Owners', isFormula: false }],
      ['BulkUpdateRecord', 'Pets', [1, 2], { Owner: [-1, -1] }],
      ['RenameTable', 'Owners', 'People'],
      ['ModifyColumn', 'Pets', 'Age', { type: 'Text' }],
      ['RenameColumn', 'Pets', 'Age', 'Years'],
      ['AddRecord', 'Pets', null, { Name: 'Kit', Years: 'two', Owner: 1 }],
      ['RemoveColumn', 'Pets', 'Name'],
    ])
    expect(await instance.clients.read(docId, 'Pets')).toEqual([
      { id: 1, fields: { Years: '3', Owner: 1 } },
      { id: 2, fields: { Years: '4', Owner: 1 } },
      { id: 3, fields: { Years: 'two', Owner: 1 } },
    ])
    expect((await apply([])).seq).toBe(seq)
    expect(await operationsAfter(seq - 1)).toEqual([
      'add_table',
      'addRows',
      'add_column',
      'updateRows',
      'update_table',
      'update_column',
      'update_column',
      'updateRows',
      'update_column',
      'addRows',
      'remove_column',
    ])
    const call = await instance.clients.as(docId, 'editors')
    await instance.clients.history.revertChange({ docId, seq }, call)
    expect([await structure(), await instance.clients.read(docId, 'Pets')]).toEqual(before)
  })

  it('may replace only so much data in one request, however often the same column', async () => {
    const megabyte = 'x'.repeat(1 << 20)
    await instance.clients.add(
      docId,
      'Pets',
      Array.from({ length: 45 }, () => ({ Name: megabyte })),
    )
    const convert = (times: number, [even, odd]: [string, string]) =>
      Array.from({ length: times }, (_, i) => [
        'ModifyColumn',
        'Pets',
        'Name',
        { type: i % 2 === 0 ? even : odd },
      ])
    const { seq } = await apply([])
    await expect(apply(convert(3, ['Int', 'Numeric']))).rejects.toMatchObject({
      code: 'too_large',
      reason: 'TABLE_TOO_LARGE',
    })
    expect((await apply([])).seq).toBe(seq)
    // Types that store values alike replace none.
    await apply(convert(20, ['Choice', 'Text']))
    await apply(convert(2, ['Int', 'Numeric']))
  })

  it('may create only so many columns in one request', async () => {
    const columns = Array.from({ length: 1_700 }, () => ({}))
    const tables = Array.from({ length: 3 }, () => ['AddTable', null, columns])
    await expect(apply(tables)).rejects.toMatchObject({ reason: 'TOO_MANY_COLUMNS' })
    expect(await structure()).toHaveLength(2)
  })
})
