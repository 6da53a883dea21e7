import { tempDir } from '@sheaf/testkit/temp-dir'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import { recalculate } from '../../src/formulas/recalculate'
import { updateRecords } from '../../src/store/records/records'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import type { Cell } from '../../src/values/column-type'
import { computed, openFormulaStore, readRows, type FormulaStore } from '../support/formula-store'
import { addColumns, author, buildWorkers, createTable } from '../support/test-store'

const ROWS = 1_200

async function addFormulas(
  { store }: FormulaStore,
  docId: string,
  formulas: Record<string, string>,
): Promise<void> {
  await store.transact(docId, author, (doc) => {
    const columns = Object.entries(formulas).map(([id, formula]) => ({
      id,
      fields: { formula, isFormula: true, type: 'Any' },
    }))
    addStructure(doc, 'T', columns)
  })
}

function edit(
  { store }: FormulaStore,
  docId: string,
  row: number,
  value: number,
): Promise<unknown> {
  return store.transact(docId, author, (doc) =>
    updateRecords(doc, 'T', { rowIds: [row], cells: new Map([['A', [value]]]) }, { noParse: true }),
  )
}

/** Processes for formulas of documents and for checks that were started. */
const startedBy = ({ formulas }: FormulaStore) => [
  formulas.pool.figures.started,
  formulas.checks.pool.figures.started,
]

async function createNumbers({ store }: FormulaStore): Promise<string> {
  const docId = await createTable(store, 'T', { A: 'Int' })
  const numbers = Array.from({ length: ROWS }, (_, row) => row)
  await addColumns(store, docId, 'T', new Map([['A', numbers]]))
  return docId
}

describe('a document of which all formulas are compiled starts no process', () => {
  beforeAll(buildWorkers)

  it('while columns that they read are pending, rows are written, all is recalculated, and a formula is checked', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store, formulas } = opened
    const docId = await createNumbers(opened)
    await addFormulas(opened, docId, { G: '$F + 1', F: '$A * 2' })
    expect((await readRows(store, docId, 'T')).at(-1)?.fields.G).toEqual(['P'])

    const check = (formula: string) =>
      formulas.checks.check(
        { docId, tableId: 'T', columnId: '', type: 'Any', isTrigger: false, rowIds: [1], formula },
        { userId: 1, signal: new AbortController().signal, user: {} },
        (run) => store.readWhile(docId, { userId: 1, signal: AbortSignal.timeout(10_000) }, run),
      )
    await addFormulas(opened, docId, { I: '$G + $F' })
    await edit(opened, docId, ROWS, 7)
    await edit(opened, docId, 1, 5)
    await computed(store, docId)
    const last = (await readRows(store, docId, 'T')).at(-1)?.fields
    expect(last).toEqual({ A: 7, F: 14, G: 15, I: 29 })
    expect((await check('$I + 1')).cells).toHaveLength(1)

    await store.transact(docId, author, (doc) => recalculate(doc, columnsOf(doc.schema).computed))
    await computed(store, docId)
    store.read(docId, ({ schema }) => {
      for (const of of columnsOf(schema).computed) {
        expect([of.column.id, formulas.needsPython(schema, of)]).toEqual([of.column.id, undefined])
        expect(formulas.timingOf(docId, of.column.ref)?.compiled).toBeGreaterThan(0)
      }
    })
    expect(startedBy(opened)).toEqual([0, 0])
  })

  it('while a lookup without an index is computed in more rows than one turn takes', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Int', B: 'Bool' })
    const count = 20_500
    const numbers = Array.from({ length: count }, (_, row) => row % 5_000)
    const marks = numbers.map((number) => (number % 2 === 0 ? null : true))
    const cells = new Map<string, Cell[]>([
      ['A', numbers],
      ['B', marks],
    ])
    await addColumns(store, docId, 'T', cells)
    await addFormulas(opened, docId, {
      F: 'T.lookupOne(A=$A, B=$B).id',
      G: 'len(T.lookupRecords(A=$A, B=$B, order_by="-id"))',
      H: 'SUM(T.lookupRecords(A=$A).A)',
    })
    await computed(store, docId)
    const rows = await readRows(store, docId, 'T')
    const expected = numbers.map((number) => {
      const shared = number < 500 ? 5 : 4
      return [number + 1, shared, shared * number]
    })
    expect(rows.map(({ fields: { F, G, H } }) => [F, G, H])).toEqual(expected)
    expect(startedBy(opened)).toEqual([0, 0])
  })

  it('while each cell takes long, so that a step ends before all its rows are computed', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store } = opened
    const docId = await createNumbers(opened)
    const formula = 'n = 0\nwhile n < 2000:\n  n += 1\nn + $A'
    await addFormulas(opened, docId, { F: formula })
    await computed(store, docId)
    const rows = await readRows(store, docId, 'T')
    expect(rows.map(({ fields }) => fields.F)).toEqual(rows.map((_, row) => row + 2_000))
    expect(startedBy(opened)).toEqual([0, 0])
  })
})
