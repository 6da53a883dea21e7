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
    [[['AddTable', 1, []]], 'body[0][1] is not a string'],
    [[['AddTable', 'T', {}]], 'body[0][2] is not an array'],
    [[['AddTable', 'T', ['A']]], 'body[0][2][0] is not an object'],
    [[['AddTable', 'T', [{ id: 1 }]]], 'body[0][2][0].id is not a string'],
    [[['RenameTable', 'T']], 'body[0][2] is not a string'],
    [[['RemoveTable']], 'body[0][1] is not a string'],
    [[['AddColumn', 'T', 1, {}]], 'body[0][2] is not a string'],
    [[['AddColumn', 'T', 'A', null]], 'body[0][3] is not an object'],
    [[['AddColumn', 'T', 'A', { type: {} }]], 'body[0][3].type is not a CellValue'],
    [[['ModifyColumn', 'T', 'A']], 'body[0][3] is not an object'],
    [[['ModifyColumn', 'T', null, {}]], 'body[0][2] is not a string'],
    [[['RenameColumn', 'T', 'A', null]], 'body[0][3] is not a string'],
    [[['RemoveColumn', 'T']], 'body[0][2] is not a string'],
  ])('refuses %j, naming the place', (body, fault) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PAYLOAD',
        metadata: { userError: expect.stringContaining(fault) as string },
      }) as Error,
    )
  })

  it('reads changes of tables and columns, with the defaults of what is created', () => {
    const info = { type: 'Ref:T', isFormula: 0, visibleCol: 3, rules: ['L', 4], _position: 1.5 }
    expect(
      read([
        ['AddTable', null, [{}, { id: 'B', formula: '$A', visibleCol: 1 }]],
        ['AddEmptyTable', 'E'],
        ['AddColumn', 'T', null],
        ['AddVisibleColumn', 'T', 'R', { ...info, bogus: 1 }],
        ['ModifyColumn', 'T', 'R', { label: 'x', colId: 'y', id: 1, parentId: 2, _position: 2 }],
        ['Calculate'],
      ]),
    ).toEqual([
      {
        kind: 'add_table',
        table: {
          columns: [
            { fields: { isFormula: false } },
            { id: 'B', fields: { isFormula: true, formula: '$A', visibleCol: 1 } },
          ],
        },
      },
      {
        kind: 'add_table',
        table: { id: 'E', columns: new Array(3).fill({ fields: { isFormula: true } }) },
      },
      { kind: 'add_column', tableId: 'T', column: { fields: { isFormula: true } } },
      {
        kind: 'add_column',
        tableId: 'T',
        column: {
          id: 'R',
          fields: { type: 'Ref:T', isFormula: false, visibleCol: 3, rules: '[4]', position: 1.5 },
        },
      },
      { kind: 'update_column', tableId: 'T', colId: 'R', change: { label: 'x', parentPos: 2 } },
      { kind: 'none' },
    ])
  })

  it.each([
    [['ModifyColumn', 'T', 'A', { bogus: 1 }], 'INVALID_COLUMN', '"bogus" in body[0][3]'],
    [
      ['ModifyColumn', 'T', 'A', { __proto__: 1, constructor: 1 }],
      'INVALID_COLUMN',
      '"constructor" in body[0][3]',
    ],
    [['ModifyColumn', 'T', 'A', { isFormula: 'yes' }], 'INVALID_VALUE', 'body[0][3].isFormula'],
    [['ModifyColumn', 'T', 'A', { recalcWhen: 3 }], 'INVALID_VALUE', 'body[0][3].recalcWhen'],
    [['AddColumn', 'T', 'A', { _position: 'x' }], 'INVALID_VALUE', 'body[0][3]._position'],
    [['AddTable', 'T', [{ type: null }]], 'INVALID_VALUE', 'body[0][2][0].type'],
  ])('refuses %j, naming the field', (action, reason, field) => {
    expect(() => read([action])).toThrow(
      expect.objectContaining({
        reason,
        message: expect.stringContaining(field) as string,
      }) as Error,
    )
  })

  it('refuses other actions by name, and more than can run in one go', () => {
    expect(() => read([['DuplicateTable', 'T', 'U']])).toThrow(
      'body[0]: unknown action "DuplicateTable"',
    )
    const many = new Array(1001).fill(['RemoveRecord', 'T', 1])
    expect(() => read(many)).toThrow(
      expect.objectContaining({ reason: 'TOO_MANY_ACTIONS' }) as Error,
    )
  })

  it('refuses more actions on tables and columns than a document can take in one go', () => {
    const adding = new Array(50).fill(['AddColumn', 'T', null, {}])
    const changing = new Array(50).fill(['UpdateRecord', '_grist_Tables', 1, {}])
    const rows = new Array(500).fill(['RemoveRecord', 'T', 1])
    expect(read([...adding, ...rows, ...changing])).toHaveLength(600)
    for (const more of [adding, changing])
      expect(() => read([...adding, ...changing, more[0]])).toThrow(
        expect.objectContaining({
          reason: 'TOO_MANY_ACTIONS',
          message: expect.stringContaining('tables and columns') as string,
        }) as Error,
      )
  })
})
