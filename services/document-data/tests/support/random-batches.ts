import fc from 'fast-check'
import { readBatch } from '../../src/bodies/batch-body'
import { applyBatch } from '../../src/store/batch/batch'
import type { DocumentWriter } from '../../src/store/document'
import type { Cell } from '../../src/values/column-type'
import type { Change } from './random-changes'

/** One operation: its kind, the table and the column that it concerns, and a cell. */
type Draft = readonly [kind: number, table: number, column: number, value: Cell]

/** What an operation names. */
interface Names {
  readonly table: string
  readonly first: string
  readonly second: string
  readonly value: Cell
  /** Temporary id of the row that it may add. */
  readonly own: string
  /** A row that the operation before may have added, or one that may exist. */
  readonly id: string | number
}

const at = <T>(items: readonly T[], n: number): T | undefined => items[n % items.length]

const add = ({ table, first, second, value, own }: Names) => ({
  op: 'addRecords',
  table,
  records: [{ id: own, fields: { [first]: value } }, { fields: { [second]: value } }],
})

const makers: readonly ((names: Names) => object)[] = [
  add,
  add,
  ({ table, first, second, value, id }) => ({
    op: 'updateRecords',
    table,
    records: [
      { id, fields: { [first]: value } },
      { id: 1, fields: { [second]: value } },
    ],
  }),
  ({ table, first, second, value }) => ({
    op: 'addOrUpdateRecords',
    table,
    records: [{ require: { [first]: value }, fields: { [second]: value } }],
  }),
  ({ table, id }) => ({ op: 'deleteRecords', table, records: [{ id }, { id: 3 }] }),
  ({ table, first }) => ({
    op: 'addColumns',
    table,
    columns: [{ id: first, fields: { type: 'Text' } }],
  }),
  ({ table, second }) => ({ op: 'removeColumns', table, columns: [{ id: second }] }),
  ({ table, first }) => ({
    op: 'addTables',
    tables: [{ id: table, columns: [{ id: first, fields: {} }] }],
  }),
]

/** The operation of a batch; nothing where the document has no column that it could concern. */
function operationsOf(doc: DocumentWriter, [kind, t, c, value]: Draft, n: number): object[] {
  const table = at(doc.schema.tables, t)
  const columns = (table?.columns ?? []).filter(({ hidden, isFormula }) => !hidden && !isFormula)
  const first = at(columns, c)?.id
  const second = at(columns, c + 1)?.id
  const make = at(makers, kind)
  if (!table || !make || first === undefined || second === undefined) return []
  const id = n > 0 && c % 2 === 0 ? `$r${n - 1}` : 1 + c
  return [make({ table: table.tableId, first, second, value, own: `$r${n}`, id })]
}

/** Batches of operations on rows, columns and tables, with temporary ids, as bodies of `/batch`. */
export const randomBatch = (cell: fc.Arbitrary<Cell>): fc.Arbitrary<Change> =>
  fc
    .array(fc.tuple(fc.nat(7), fc.nat(7), fc.nat(7), cell), { minLength: 1, maxLength: 6 })
    .map((drafts) => (doc) => {
      const operations = drafts.flatMap((draft, n) => operationsOf(doc, draft, n))
      const body = Buffer.from(JSON.stringify({ operations }))
      applyBatch(doc, readBatch(body), { noParse: false, strict: false })
    })
