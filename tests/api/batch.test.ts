import { addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let doc = ''

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Teams', { Name: 'Text' })
  await addTable(rest, doc, 'People', { Name: 'Text', Team: 'Ref:Teams', All: 'RefList:Teams' })
})

interface Applied {
  readonly operations: readonly object[]
  readonly tempIds: object
  readonly seq: number
  readonly isModification: boolean
}

const batch = (operations: unknown, headers: Record<string, string> = {}) =>
  system.alice.rest.post<Applied>(`${doc}/batch`, { body: { operations }, headers })
const rowsOf = (table: string) => readRecords(system.alice.rest, `${doc}/tables/${table}`)
const add = (table: string, ...records: object[]) => ({ op: 'addRecords', table, records })

describe('a batch', () => {
  it('is one change in which temporary ids name new rows, and is undone as a whole', async () => {
    const { status, body } = await batch([
      add('Teams', { id: '$night', fields: { Name: '$night' } }, { fields: { Name: 'Day' } }),
      add('People', {
        id: '$ann',
        fields: { Name: 'Ann', Team: '$night', All: ['L', '$night', 2] },
      }),
      {
        op: 'addColumns',
        table: 'People',
        columns: [{ id: 'Age', fields: { type: 'Int', isFormula: false } }],
      },
      {
        op: 'updateRecords',
        table: 'People',
        records: [{ id: '$ann', fields: { Age: 5 }, expect: { Name: 'Ann', Team: '$night' } }],
      },
      {
        op: 'addOrUpdateRecords',
        table: 'People',
        records: [
          { require: { Team: '$night' }, fields: { Name: 'Anna' } },
          { require: { Name: 'Bob' }, fields: { Team: 2 } },
        ],
      },
      { op: 'updateTables', tables: [{ id: 'Teams', fields: { tableId: 'Shifts' } }] },
      { op: 'deleteRecords', table: 'Shifts', records: [{ id: 2 }, { id: 7 }] },
    ])
    expect([status, body.operations, body.tempIds]).toEqual([
      200,
      [
        { op: 'addRecords', table: 'Teams', added: [1, 2] },
        { op: 'addRecords', table: 'People', added: [1] },
        { op: 'addColumns', table: 'People', columns: [{ id: 'Age' }] },
        { op: 'updateRecords', table: 'People', updated: [1] },
        {
          op: 'addOrUpdateRecords',
          table: 'People',
          records: [[1], [2]],
          added: [2],
          updated: [1],
        },
        { op: 'updateTables', tables: [{ id: 'Shifts' }] },
        { op: 'deleteRecords', table: 'Shifts', removed: [2] },
      ],
      { $night: 1, $ann: 1 },
    ])
    expect(await rowsOf('Shifts')).toEqual([{ id: 1, fields: { Name: '$night' } }])
    expect(await rowsOf('People')).toEqual([
      { id: 1, fields: { Name: 'Anna', Team: 1, All: ['L', 1], Age: 5 } },
      { id: 2, fields: { Name: 'Bob', Team: 0, All: null, Age: 0 } },
    ])
    const undone = await system.alice.rest.post(`${doc}/changes/${body.seq}/revert`)
    expect(undone.body).toEqual({ seq: body.seq + 1 })
    expect([await rowsOf('Teams'), await rowsOf('People')]).toEqual([[], []])
  })

  it('happens once, however often it is sent with one key, and only to the document that it names', async () => {
    const once = { 'Idempotency-Key': 'one-batch' }
    const first = await batch([add('Teams', { fields: { Name: 'A' } })], once)
    const again = await batch([add('Teams', { fields: { Name: 'A' } })], once)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await rowsOf('Teams')).toHaveLength(1)
    const old = await batch([add('Teams', {})], { 'If-Match': '"x.1"' })
    expect([old.status, await rowsOf('Teams')]).toMatchObject([412, [{ id: 1 }]])
  })

  it.each([
    [
      'an unknown column',
      { op: 'addRecords', records: [{ fields: {} }, { fields: { Nmae: 1 } }] },
      'INVALID_COLUMN',
      'operations[1].records[1].fields.Nmae',
    ],
    [
      'an unknown row',
      {
        op: 'updateRecords',
        records: [
          { id: 1, fields: { Name: 'B' } },
          { id: 9, fields: { Name: 'B' } },
        ],
      },
      'INVALID_ROW_ID',
      'operations[1].records[1].id',
    ],
    [
      'another value than expected',
      { op: 'deleteRecords', records: [{ id: 1, expect: { Name: 'B' } }] },
      'CELL_CHANGED',
      'operations[1].records[0].expect.Name',
    ],
    [
      'an unknown temporary id',
      { op: 'addRecords', records: [{ fields: { Team: '$none' } }] },
      'INVALID_TEMP_ID',
      'operations[1].records[0].fields.Team',
    ],
    [
      'a row of another table',
      { op: 'addRecords', records: [{ fields: { All: ['L', '$ann'] } }] },
      'INVALID_TEMP_ID',
      'operations[1].records[0].fields.All',
    ],
  ])('with %s at its end changes nothing and tells the place', async (_, last, reason, path) => {
    const answer = await batch([
      add('People', { id: '$ann', fields: { Name: 'Ann' } }),
      { table: 'People', ...last },
    ])
    expect(answer.body).toMatchObject({ details: { reason, path } })
    expect(await rowsOf('People')).toEqual([])
  })

  it('tells where a cell does not fit its column when it is strict', async () => {
    const strict = { Prefer: 'handling=strict' }
    const { body } = await batch(
      [add('People', { fields: { Team: 0 } }, { fields: { Team: 'none' } })],
      strict,
    )
    expect(body).toMatchObject({ details: { path: 'operations[0].records[1].fields.Team' } })
  })

  it.each([
    [{}, 'body.operations[0]', 'operations[0].op'],
    [{ op: 'addRecord' }, 'UNKNOWN_OPERATION', 'did you mean'],
    [
      { op: 'addRecords', table: 'People', records: [{ id: 5 }] },
      'INVALID_PAYLOAD',
      'operations[0].records[0].id',
    ],
    [
      { op: 'addRecords', table: 'People', records: [{ field: {} }] },
      'INVALID_PAYLOAD',
      'operations[0].records[0].field ',
    ],
    [
      { op: 'addRecords', table: 'People', records: [{ fields: { Name: {} } }] },
      'INVALID_PAYLOAD',
      'operations[0].records[0].fields.Name',
    ],
    [
      { op: 'updateRecords', table: 'People', records: [{ id: '$x', fields: {} }] },
      'INVALID_PAYLOAD',
      'operations[0].records[0].id',
    ],
    [
      { op: 'addOrUpdateRecords', table: 'People', records: [{ fields: {} }] },
      'INVALID_PAYLOAD',
      'operations[0].records[0].require',
    ],
    [
      { op: 'addColumns', table: 'People', columns: [{ fields: { typ: 'Int' } }] },
      'INVALID_COLUMN',
      'operations[0].columns[0].fields',
    ],
    [
      { op: 'updateTables', tables: [{ id: 'People', fields: { tableId: 5 } }] },
      'INVALID_VALUE',
      'operations[0].tables[0].fields.tableId',
    ],
    [
      { op: 'removeColumns', table: '_grist_Tables', columns: [{ id: 'tableId' }] },
      'TABLE_READ_ONLY',
      'operations[0]',
    ],
  ])('with the hostile operation %j is refused', async (operation, reason, place) => {
    const { status, body } = await batch([operation])
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(place)])
    if (reason === reason.toUpperCase()) expect(body).toMatchObject({ details: { reason } })
  })

  it('is bounded', async () => {
    const many = await batch(Array.from({ length: 1001 }, () => add('People', {})))
    const structural = { op: 'removeColumns', table: 'People', columns: [{ id: 'Name' }] }
    const others = await batch(Array.from({ length: 101 }, () => structural))
    const rows = await batch([add('People', ...Array.from({ length: 50_001 }, () => ({})))])
    const reasons = [many, others, rows].map(({ body }) => body)
    const refused = { details: { reason: 'TOO_MANY_OPERATIONS' } }
    expect(reasons).toMatchObject([refused, refused, refused])
  })
})
