import fc from 'fast-check'
import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()

const columns = {
  Text: 'Text',
  Num: 'Numeric',
  Int: 'Int',
  Bool: 'Bool',
  Date: 'Date',
  Time: 'DateTime:Europe/Berlin',
  Choice: 'Choice',
  List: 'ChoiceList',
  Ref: 'Ref:Hostile',
  Refs: 'RefList:Hostile',
  Files: 'Attachments',
  Any: 'Any',
}
const colId = fc.constantFrom(...Object.keys(columns), 'id', 'manualSort', 'nope', '', 'a\'b"\0')
const cell = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -3, max: 3 }),
  fc.boolean(),
  fc.constant(null),
  fc
    .tuple(fc.constantFrom('L', 'l', 'O', 'd', 'D', 'R', 'r', 'E', 'U'), fc.array(fc.jsonValue()))
    .map(([code, rest]) => [code, ...rest] as unknown[]),
  fc.jsonValue(),
)
const map = fc.dictionary(colId, cell, { maxKeys: 3 })
const lists = fc.dictionary(colId, fc.array(cell, { maxLength: 2 }), { maxKeys: 3 })
const rowId = fc.oneof(fc.integer({ min: -3, max: 4 }), fc.double(), fc.constant(null), fc.string())
const fields = [
  ...['id', 'colId', 'parentPos', '_position', 'type', 'label', 'formula', 'isFormula', 'bogus'],
  ...['widgetOptions', 'untieColIdFromLabel', 'displayCol', 'visibleCol', 'rules', 'recalcWhen'],
]
const value = fc.oneof(cell, fc.constantFrom('Int', 'Text', 'Ref:Hostile', 'Nope', '$Text', '{}'))
const info = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 })
const action = fc.oneof(
  fc.tuple(fc.constantFrom('AddRecord', 'UpdateRecord'), fc.constant('Hostile'), rowId, map),
  fc.tuple(
    fc.constantFrom('BulkAddRecord', 'BulkUpdateRecord', 'BulkRemoveRecord'),
    fc.constantFrom('Hostile', '_grist_Tables', ''),
    fc.array(rowId, { maxLength: 2 }),
    lists,
  ),
  fc.tuple(
    fc.constantFrom('UpdateRecord', 'RemoveRecord'),
    fc.constantFrom('_grist_Tables_column', '_grist_DocInfo'),
    rowId,
    fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 }),
  ),
  fc.tuple(
    fc.constantFrom('AddColumn', 'ModifyColumn', 'RenameColumn', 'AddVisibleColumn'),
    fc.constantFrom('Hostile', 'Side', 'Nope', '_grist_Tables'),
    colId,
    fc.oneof(info, colId, fc.jsonValue()),
  ),
  fc.tuple(
    fc.constantFrom('AddTable', 'RenameTable', 'RemoveTable', 'AddEmptyTable'),
    fc.constantFrom('Side', 'Nope', 'été', null, 3),
    fc.oneof(fc.array(info, { maxLength: 2 }), fc.constantFrom('Side', 'Else'), fc.jsonValue()),
  ),
  fc.tuple(fc.constant('RemoveColumn'), fc.constantFrom('Hostile', 'Side'), colId),
  fc.jsonValue(),
)
const records = (record: fc.Arbitrary<unknown>) =>
  fc.record({ records: fc.array(fc.oneof(record, fc.jsonValue()), { maxLength: 3 }) })

/** What is sent where: bodies that are nearly right, and some that are not. */
const requests = fc.oneof(
  fc.record({
    method: fc.constant('put' as const),
    path: fc.constantFrom(
      '/tables/Hostile/records',
      '/tables/Hostile/records?allow_empty_require=1&onmany=all',
    ),
    body: records(fc.record({ require: map, fields: map })),
  }),
  fc.record({
    method: fc.constantFrom('post' as const, 'patch' as const),
    path: fc.constantFrom('/tables/Hostile/data', '/tables/Hostile/data?noparse=1'),
    body: fc.oneof(lists, fc.jsonValue()),
  }),
  fc.record({
    method: fc.constant('post' as const),
    path: fc.constantFrom('/tables/Hostile/records', '/tables/Hostile/records?flat=1'),
    body: fc.oneof(records(fc.record({ fields: map })), fc.array(map, { maxLength: 2 })),
  }),
  fc.record({
    method: fc.constant('post' as const),
    path: fc.constant('/apply'),
    body: fc.array(action, { maxLength: 3 }),
  }),
)

describe('writes', () => {
  it('survive any body: never a 5xx, what was refused changed nothing, and all reads', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Hostile', columns)
    await addTable(rest, doc, 'Side', { Text: 'Text', Ref: 'Ref:Hostile' })
    const table = `${doc}/tables/Hostile`
    const state = async () => [
      await readRecords(rest, table, { hidden: 1 }),
      (await rest.get(`${doc}/tables`, { query: { expand: 'column' } })).body,
    ]
    await addRecords(rest, table, [{ Text: 'a' }, { Text: 'b' }])
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path, body }) => {
        const before = await state()
        const { status } = await rest[method](doc + path, {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        })
        expect(status).toBeLessThan(500)
        if (status >= 400) expect(await state()).toEqual(before)
        const typed = await rest.get(`${table}/data`, { query: { cellFormat: 'typed' } })
        expect(typed.status).toBe(200)
      }),
      { numRuns: 150 },
    )
  })
})
