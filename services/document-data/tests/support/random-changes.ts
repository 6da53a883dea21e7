import fc from 'fast-check'
import { removeColumn } from '../../src/store/structure/column-removal'
import { addOrUpdateColumns, updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addNewColumns } from '../../src/store/structure/columns'
import type { DocumentReader, DocumentWriter } from '../../src/store/document'
import { addRecords, updateRecords } from '../../src/store/records/records'
import type { Column, Table } from '../../src/store/schema/schema'
import { removeTables } from '../../src/store/structure/table-removal'
import { updateTables } from '../../src/store/structure/table-updates'
import { addTables } from '../../src/store/structure/tables'
import type { Cell, StoredValue } from '../../src/values/column-type'

/** A write of a document. */
export type Change = (doc: DocumentWriter) => void

/** Picks an item by number, so that a shrunk case still picks one. */
const at = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length]

const names = fc.oneof(
  fc.constantFrom('A', 'a', 'B', 'b2', 'Name', 'name', 'id', 'class', '2nd', 'été', '', 'T1', 't1'),
  fc.string({ maxLength: 6 }),
)
const types = fc.constantFrom(
  ...['Text', 'Numeric', 'Int', 'Bool', 'Date', 'DateTime:Europe/Berlin', 'Choice', 'ChoiceList'],
  ...['Ref:T1', 'Ref:People', 'RefList:People', 'RefList:T1', 'Attachments', 'Any', 'Nope'],
)
const cells: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom<Cell[]>(null, true, false, '', '5', '1.5', 'abc', '2024-01-02', '[1,2]', '-1'),
  fc.constantFrom<Cell[]>(['L', 1, 2], ['L', 'a', 'b'], ['L'], ['d', 86_400], -1, 0, 2, 1.75, 3e9),
  fc.constantFrom<Cell[]>(['R', 'People', 1], ['r', 'People', [1, 2]], '\u0001x', '[x', 1e300),
)
const fields = fc.record(
  {
    type: types,
    label: names,
    colId: names,
    isFormula: fc.boolean(),
    formula: fc.constantFrom('', '$A'),
    untieColIdFromLabel: fc.boolean(),
  },
  { requiredKeys: [] },
)
const index = fc.nat(7)

const shown = (table: Table | undefined) => (table?.columns ?? []).filter(({ hidden }) => !hidden)

function changeColumn(doc: DocumentWriter, t: number, c: number, change: object): void {
  const table = at(doc.schema.tables, t)
  const column = at(shown(table), c)
  if (table && column) updateColumns(doc, table.tableId, [{ id: column.id, change }])
}

/** Changes of tables, columns and rows, of all kinds. */
export const changes: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(names, fc.array(fields, { minLength: 1, maxLength: 12 }))
    .map(([id, columns]): Change => (doc) => {
      addTables(doc, [
        { id, columns: columns.map(({ colId, ...rest }) => ({ id: colId ?? '', fields: rest })) },
      ])
    }),
  fc.tuple(index, names).map(([t, tableId]): Change => (doc) => {
    const table = at(doc.schema.tables, t)
    if (table) updateTables(doc, [{ id: table.tableId, change: { tableId } }])
  }),
  index.map((t): Change => (doc) => {
    removeTables(doc, [at(doc.schema.tables, t)?.ref ?? 0])
  }),
  fc
    .tuple(index, fc.array(fields, { minLength: 1, maxLength: 12 }))
    .map(([t, columns]): Change => (doc) => {
      const table = at(doc.schema.tables, t)
      const wished = columns.map(({ colId, ...rest }) => ({ id: colId ?? '', fields: rest }))
      if (table) addNewColumns(doc, table.tableId, wished)
    }),
  fc.tuple(index, index, fields).map(
    ([t, c, change]): Change =>
      (doc) =>
        changeColumn(doc, t, c, change),
  ),
  fc.tuple(index, index, types).map(
    ([t, c, type]): Change =>
      (doc) =>
        changeColumn(doc, t, c, { type }),
  ),
  fc
    .tuple(index, fc.array(fc.tuple(index, fields), { maxLength: 12 }))
    .map(([t, list]): Change => (doc) => {
      const table = at(doc.schema.tables, t)
      const updates = list.flatMap(([c, change]) => {
        const column = at(shown(table), c)
        return column ? [{ id: column.id, change }] : []
      })
      if (table && updates.length > 0) updateColumns(doc, table.tableId, updates)
    }),
  fc.tuple(index, index).map(([t, c]): Change => (doc) => {
    const table = at(doc.schema.tables, t)
    const column = at(shown(table), c)
    if (table && column) removeColumn(doc, table.tableId, column.id)
  }),
  fc
    .tuple(index, names, fc.boolean(), fields)
    .map(([t, id, replaceAll, change]): Change => (doc) => {
      const table = at(doc.schema.tables, t)
      const wish = { id, change, make: { id, fields: {} } }
      const options = { noAdd: false, noUpdate: false, replaceAll }
      if (table) addOrUpdateColumns(doc, table.tableId, [wish], options)
    }),
  fc
    .tuple(index, index, fc.array(cells, { minLength: 1, maxLength: 5 }), fc.boolean())
    .map(([t, c, values, noParse]): Change => (doc) => {
      const table = at(doc.schema.tables, t)
      const column = at(shown(table), c)
      if (!table || !column) return
      const rows = { count: values.length, cells: new Map([[column.id, values]]) }
      addRecords(doc, table.tableId, rows, { noParse })
    }),
  fc.tuple(index, index, cells).map(([t, c, value]): Change => (doc) => {
    const table = at(doc.schema.tables, t)
    const column = at(shown(table), c)
    if (!table || !column) return
    const rows = { rowIds: [1], cells: new Map([[column.id, [value]]]) }
    updateRecords(doc, table.tableId, rows, { noParse: false })
  }),
)

/** Throws unless metadata, SQLite's tables and the cells in them agree. */
export function requireAgreement({ connection, schema }: DocumentReader): void {
  const stored = connection
    .pluck(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_grist_*' AND name NOT GLOB '_sheaf_*'",
    )
    .all()
  expect(stored.sort()).toEqual(schema.tables.map(({ tableId }) => tableId).sort())
  const refs = new Set(schema.tables.flatMap(({ columns }) => columns.map(({ ref }) => ref)))
  for (const table of schema.tables) {
    const columns = connection.pluck('SELECT name FROM pragma_table_info(?)').all(table.tableId)
    expect(columns.sort()).toEqual(['id', ...table.columns.map(({ id }) => id)].sort())
    expect(new Set(columns.map((name) => String(name).toLowerCase())).size).toBe(columns.length)
    for (const column of table.columns) {
      expect(column.id).toMatch(/^[a-zA-Z]\w*$/)
      expect([0, ...refs]).toContain(column.visibleCol)
      requireFitting(connection.pluck(`SELECT "${column.id}" FROM "${table.tableId}"`), column)
    }
  }
  const orphans = `SELECT count(*) FROM _grist_Tables_column WHERE parentId NOT IN (SELECT id FROM _grist_Tables)`
  expect(connection.pluck(orphans).get()).toBe(0)
}

/** Throws unless each cell is stored in the form that its column's type has for it. */
function requireFitting(select: { all(): unknown[] }, column: Column): void {
  const { type, isFormula, formula } = column
  const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }
  for (const value of select.all() as StoredValue[]) {
    if (isFormula && formula !== '') expect(value).toBeNull()
    else if (isFormula) expect(value).toEqual(plain(type.defaultValue))
    else if (column.id !== 'manualSort' && isReadBack(column, type.fromStored(value)))
      expect([column.typeName, value]).toEqual([
        column.typeName,
        plain(type.toStored(type.fromStored(value), context, { noParse: true })),
      ])
  }
}

const plain = (value: StoredValue) => (typeof value === 'bigint' ? Number(value) : value)
/** False for what a write would take for something else: kept text that is a list, and codes. */
const isReadBack = ({ type }: Column, cell: Cell) =>
  Array.isArray(cell) ? cell[0] === 'L' : type.storage !== 'list' || cell === null
