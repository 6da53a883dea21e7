import { readActions } from './actions-body'

const read = (body: unknown) => readActions(Buffer.from(JSON.stringify(body)))

describe('readActions', () => {
  it('puts rows and cells into lists, whether an action is about one row or several', () => {
    expect(
      read([
        ['AddRecord', 'T', null, { A: 'x' }],
        ['BulkUpdateRecord', 'T', [1, 2], { A: ['y', 'z'] }],
        ['RemoveRecord', 'T', -1],
        ['AddRecord', 'T'],
      ]),
    ).toEqual([
      { kind: 'add', isBulk: false, tableId: 'T', rowIds: [null], cells: new Map([['A', ['x']]]) },
      {
        kind: 'update',
        isBulk: true,
        tableId: 'T',
        rowIds: [1, 2],
        cells: new Map([['A', ['y', 'z']]]),
      },
      { kind: 'remove', isBulk: false, tableId: 'T', rowIds: [-1], cells: new Map() },
      { kind: 'add', isBulk: false, tableId: 'T', rowIds: [null], cells: new Map() },
    ])
  })

  it.each([
    [{}, 'body is not an array'],
    [[1], 'body[0] is not an array'],
    [[[1]], 'body[0][0] is not a string'],
    [[['AddRecord', 1]], 'body[0][1] is not a string'],
    [[['UpdateRecord', 'T', null, {}]], 'body[0][2] is not a row id'],
    [[['UpdateRecord', 'T', '1', {}]], 'body[0][2] is not a row id'],
    [[['BulkRemoveRecord', 'T', 1]], 'body[0][2] is not an array'],
    [[['BulkAddRecord', 'T', [null, 1.5], {}]], 'body[0][2][1] is not a row id'],
    [[['AddRecord', 'T', null, []]], 'body[0][3] is not an object'],
    [[['BulkAddRecord', 'T', [null], { A: 'x' }]], 'body[0][3].A is not an array'],
    [[['BulkAddRecord', 'T', [null], { A: [1, 2] }]], 'body[0][3].A has 2 items for 1 rows'],
    [[['AddRecord', 'T', null, { A: {} }]], 'body[0][3].A is not a CellValue'],
  ])('refuses %j, naming the place', (body, fault) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PAYLOAD',
        metadata: { userError: expect.stringContaining(fault) as string },
      }) as Error,
    )
  })

  it('refuses other actions by name, and more than can run in one go', () => {
    expect(() => read([['AddTable', 'T', []]])).toThrow('body[0]: unknown action "AddTable"')
    const many = new Array(1001).fill(['RemoveRecord', 'T', 1])
    expect(() => read(many)).toThrow(
      expect.objectContaining({ reason: 'TOO_MANY_ACTIONS' }) as Error,
    )
  })
})
