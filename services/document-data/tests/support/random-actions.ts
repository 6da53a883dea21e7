import fc from 'fast-check'
import { quoteId } from '../../src/quoting/quote'
import { removeColumn } from '../../src/store/structure/column-removal'
import type { ColumnChange } from '../../src/store/structure/column-changes'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns } from '../../src/store/structure/columns'
import type { CellColumns } from '../../src/store/records/conversion'
import type { DocumentWriter } from '../../src/store/document'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import type { Column, Table } from '../../src/store/schema/schema'
import { removeTables } from '../../src/store/structure/table-removal'
import { updateTables } from '../../src/store/structure/table-updates'
import { addTables } from '../../src/store/structure/tables'

/** Something done to a document. */
export type Action = (doc: DocumentWriter) => void

/** How text is written in these actions. */
export const options = { noParse: false }

const types = ['Text', 'Int', 'Numeric', 'Bool', 'Any', 'Date', 'Choice', 'ChoiceList', 'DateTime']
const cell = fc.constantFrom<unknown>(null, 0, 1, 2.5, true, 'text', '7', '2020-01-02', ['L', 'a'])

/** What an action is done to. */
interface Target {
  readonly doc: DocumentWriter
  readonly table: Table
  readonly column: Column
  /** Another column, where there are two. */
  readonly other: Column
  /** Ids of rows that are there. */
  readonly rows: readonly number[]
  /** A number to choose by. */
  readonly n: number
  readonly type: string
  readonly cellsOf: (count: number) => CellColumns
}

const change = ({ doc, table, column }: Target, what: ColumnChange) =>
  updateColumns(doc, table.tableId, [{ id: column.id, change: what }])

/** A formula that names tables and columns, which renames change. */
function formulaOf({ tableId }: Table, [a, b]: readonly [Column, Column], n: number): string {
  const lookup = `${tableId}.lookupOne(${a.id}=$${b.id}, order_by="-${b.id}")`
  return [`$${a.id} + $${b.id}`, lookup, `[r.${a.id} for r in ${tableId}.all]`, '1'][n % 4] ?? ''
}

const actions: Readonly<Record<string, (target: Target) => unknown>> = {
  add: ({ doc, table, cellsOf }) =>
    addRecords(doc, table.tableId, { count: 2, cells: cellsOf(2) }, options),
  update: ({ doc, table, rows, cellsOf }) =>
    updateRecords(doc, table.tableId, { rowIds: rows, cells: cellsOf(rows.length) }, options),
  place: ({ doc, table, rows }) => {
    const cells = new Map([['manualSort', rows.map((id) => id + 0.5)]])
    updateRecords(doc, table.tableId, { rowIds: rows, cells }, options)
  },
  remove: ({ doc, table, rows }) => deleteRecords(doc, table.tableId, rows),
  addColumn: ({ doc, table, type }) =>
    addColumns(doc, table.tableId, [{ id: 'N', fields: { type } }]),
  addEmpty: ({ doc, table, type }) =>
    addColumns(doc, table.tableId, [{ id: 'E', fields: { isFormula: true, type } }]),
  addFormula: ({ doc, table, column, other, n }) => {
    const fields = { isFormula: n % 4 > 0, formula: formulaOf(table, [column, other], n) }
    addColumns(doc, table.tableId, [{ id: 'F', fields }])
  },
  rename: (target) => change(target, { colId: `R${target.n % 4}` }),
  swap: ({ doc, table, column, other, type }) =>
    updateColumns(doc, table.tableId, [
      { id: column.id, change: { colId: other.id, type } },
      { id: other.id, change: { colId: column.id } },
    ]),
  retype: (target) => change(target, { type: target.type }),
  compute: (target) => change(target, { isFormula: true, formula: target.n % 2 ? '' : '$id' }),
  fix: (target) => change(target, { isFormula: false, formula: '' }),
  refer: (target) => {
    const { tables } = target.doc.schema
    const name = target.n % 2 ? 'Ref' : 'RefList'
    change(target, { type: `${name}:${tables[target.n % tables.length]?.tableId}` })
  },
  removeColumn: ({ doc, table, column }) => removeColumn(doc, table.tableId, column.id),
  addTable: ({ doc, type }) => {
    const columns = [
      { id: 'A', fields: { type } },
      { id: 'E', fields: { isFormula: true } },
    ]
    addTables(doc, [{ columns }])
  },
  renameTable: ({ doc, table, n }) =>
    updateTables(doc, [{ id: table.tableId, change: { tableId: `Renamed${n % 5}` } }]),
  removeTable: ({ doc, table, n }) => (n % 3 === 0 ? removeTables(doc, [table.ref]) : undefined),
}
/** Changes of cells come more often than others. */
const kinds = [...Object.keys(actions), 'add', 'update', 'update', 'update', 'retype']

/** Something done to rows, columns or tables, whatever there are of them. */
export const action: fc.Arbitrary<Action> = fc
  .record({
    kind: fc.constantFrom(...kinds),
    t: fc.nat(),
    n: fc.nat(),
    rows: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
    cells: fc.array(cell, { minLength: 8, maxLength: 8 }),
    type: fc.constantFrom(...types),
  })
  .map(({ kind, t, n, rows, cells, type }) => (doc) => {
    const { tables } = doc.schema
    const table = tables[t % tables.length]
    const columns = table?.columns.filter(({ id }) => id !== 'manualSort') ?? []
    const column = columns[n % columns.length]
    const other = columns[(n + 1) % columns.length]
    if (!table || !column || !other) return
    const ids = doc.connection.pluck(`SELECT id FROM ${quoteId(table.tableId)}`).all()
    const cellsOf = (count: number): CellColumns =>
      new Map(
        columns
          .filter(({ isFormula, formula }) => !isFormula || formula === '')
          .slice(n % 3)
          .map(({ id }, i) => [
            id,
            Array.from({ length: count }, (_, row) => cells[(i + row) % 8] as never),
          ]),
      )
    const present = rows.filter((id) => ids.includes(id))
    actions[kind]?.({ doc, table, column, other, rows: present, n, type, cellsOf })
  })
