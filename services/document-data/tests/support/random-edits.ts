import fc from 'fast-check'
import { quoteId } from '../../src/quoting/quote'
import type { CellColumns } from '../../src/store/records/conversion'
import type { DocumentWriter } from '../../src/store/document'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { removeColumn } from '../../src/store/structure/column-removal'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns } from '../../src/store/structure/columns'
import { updateTables } from '../../src/store/structure/table-updates'
import { addTables } from '../../src/store/structure/tables'
import {
  columnName,
  columnType,
  DATA_COLUMNS,
  dataColumn,
  formula,
  FORMULA_COLUMNS,
  row,
  tableName,
  TABLES,
} from './random-formulas'

type Row = Readonly<Record<string, unknown>>

/** A change of a document, as plain data, so that a counterexample can be read. */
export type Edit =
  | { readonly kind: 'addRows'; readonly table: string; readonly rows: readonly Row[] }
  | {
      readonly kind: 'update'
      readonly table: string
      readonly ids: readonly number[]
      readonly row: Row
    }
  | { readonly kind: 'remove'; readonly table: string; readonly ids: readonly number[] }
  | {
      readonly kind: 'addFormula'
      readonly table: string
      readonly column: string
      readonly type: string
      readonly formula: string
    }
  | {
      readonly kind: 'setFormula'
      readonly table: string
      readonly column: string
      readonly formula: string
    }
  | { readonly kind: 'removeColumn'; readonly table: string; readonly column: string }
  | {
      readonly kind: 'retype'
      readonly table: string
      readonly column: string
      readonly type: string
    }
  | {
      readonly kind: 'rename'
      readonly table: string
      readonly column: string
      readonly to: string
    }
  | { readonly kind: 'renameTable'; readonly table: string; readonly to: string }
  | { readonly kind: 'fix'; readonly table: string; readonly column: string }
  | { readonly kind: 'revert'; readonly back: number }

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 })
const formulaColumn = fc.constantFrom(...FORMULA_COLUMNS)
const rows = fc.array(row, { minLength: 1, maxLength: 3 })

const of = <K extends Edit['kind']>(
  kind: K,
  fields: {
    [F in Exclude<keyof (Edit & { kind: K }), 'kind'>]: fc.Arbitrary<(Edit & { kind: K })[F]>
  },
): fc.Arbitrary<Edit> =>
  fc
    .record(fields as Record<string, fc.Arbitrary<unknown>>)
    .map((rest) => ({ kind, ...rest }) as Edit)

/** A formula column that is added. */
const addedFormula = of('addFormula', {
  table: tableName,
  column: formulaColumn,
  type: columnType,
  formula,
})

/** A random change; changes of cells come more often than others. */
export const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 3, arbitrary: of('addRows', { table: tableName, rows }) },
  { weight: 6, arbitrary: of('update', { table: tableName, ids, row }) },
  { weight: 2, arbitrary: of('remove', { table: tableName, ids }) },
  { weight: 2, arbitrary: addedFormula },
  { weight: 2, arbitrary: of('setFormula', { table: tableName, column: formulaColumn, formula }) },
  { weight: 1, arbitrary: of('removeColumn', { table: tableName, column: columnName }) },
  {
    weight: 1,
    arbitrary: of('retype', { table: tableName, column: columnName, type: columnType }),
  },
  { weight: 1, arbitrary: of('rename', { table: tableName, column: columnName, to: columnName }) },
  { weight: 1, arbitrary: of('renameTable', { table: tableName, to: tableName }) },
  { weight: 1, arbitrary: of('fix', { table: tableName, column: formulaColumn }) },
  { weight: 2, arbitrary: of('revert', { back: fc.nat(3) }) },
)

/** A document to begin with: its columns by table, its rows, and its formulas. */
export interface Beginning {
  readonly targets: readonly string[]
  readonly columns: readonly (readonly string[])[]
  readonly rows: readonly (readonly Row[])[]
  readonly formulas: readonly Edit[]
}

/** A random document to begin with. */
export const beginning: fc.Arbitrary<Beginning> = fc.record({
  targets: fc.array(tableName, { minLength: 6, maxLength: 6 }),
  columns: fc.array(fc.uniqueArray(dataColumn, { minLength: 6, maxLength: 7 }), {
    minLength: 2,
    maxLength: 3,
  }),
  rows: fc.array(fc.array(row, { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
  formulas: fc.array(addedFormula, { minLength: 2, maxLength: 6 }),
})

/** Makes the tables, rows and formulas of a document. */
export function begin(doc: DocumentWriter, { targets, columns, rows, formulas }: Beginning): void {
  let next = 0
  addTables(
    doc,
    columns.map((names, i) => ({
      id: TABLES[i] ?? '',
      columns: names.map((id) => ({
        id,
        fields: { type: DATA_COLUMNS[id]?.replace('*', () => targets[next++ % 6] ?? '') ?? 'Any' },
      })),
    })),
  )
  columns.forEach((_, i) => {
    const own = rows[i] ?? []
    if (own.length > 0) apply(doc, { kind: 'addRows', table: TABLES[i] ?? '', rows: own })
  })
  for (const formula of formulas) apply(doc, formula)
}

/** Does a change, as far as what it names exists. */
export function apply(doc: DocumentWriter, edit: Edit): void {
  if (edit.kind === 'revert') {
    const seq = doc.seq - edit.back
    if (seq > 1) revertChange(doc, seq)
    return
  }
  const table = doc.schema.find(edit.table)
  if (!table) return
  if (!('column' in edit)) return applyToRows(doc, edit)
  const column = table.byId.get(edit.column)
  if (edit.kind === 'addFormula') {
    const { type, formula } = edit
    addColumns(doc, edit.table, [{ id: edit.column, fields: { isFormula: true, type, formula } }])
  }
  if (!column) return
  const change = (fields: object) =>
    updateColumns(doc, edit.table, [{ id: column.id, change: fields }])
  if (edit.kind === 'setFormula') change({ isFormula: true, formula: edit.formula })
  if (edit.kind === 'fix') change({ isFormula: false, formula: '' })
  if (edit.kind === 'retype') change({ type: edit.type })
  if (edit.kind === 'rename') change({ colId: edit.to })
  if (edit.kind === 'removeColumn') removeColumn(doc, edit.table, column.id)
}

function applyToRows(
  doc: DocumentWriter,
  edit: Exclude<Edit, { readonly column: string } | { readonly kind: 'revert' }>,
): void {
  const options = { noParse: false }
  if (edit.kind === 'renameTable')
    return void updateTables(doc, [{ id: edit.table, change: { tableId: edit.to } }])
  if (edit.kind === 'addRows') {
    const cells = cellsOf(doc, edit.table, edit.rows)
    return void addRecords(doc, edit.table, { count: edit.rows.length, cells }, options)
  }
  const rowIds = doc.connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(edit.table)} WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(edit.ids))
  if (rowIds.length === 0) return
  if (edit.kind === 'remove') return void deleteRecords(doc, edit.table, rowIds)
  const cells = cellsOf(
    doc,
    edit.table,
    rowIds.map(() => edit.row),
  )
  if (cells.size > 0) updateRecords(doc, edit.table, { rowIds, cells }, options)
}

/** The cells of rows by column, for data columns that exist. */
function cellsOf(doc: DocumentWriter, tableId: string, rows: readonly Row[]): CellColumns {
  const columns = doc.schema.get(tableId).columns.filter(({ formula }) => formula === '')
  const named = columns.filter(({ id }) => rows.some((row) => id in row))
  return new Map(named.map(({ id }) => [id, rows.map((row) => (row[id] ?? null) as never)]))
}
