import { tempDir } from '@sheaf/testkit/temp-dir'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import { addRecords } from '../../src/store/records/records'
import { addTables } from '../../src/store/structure/tables'
import type { Cell } from '../../src/values/column-type'
import { openFormulaStore, readRows } from '../support/formula-store'
import { addColumns, author, buildWorkers, createTable } from '../support/test-store'

const MANY = 4_000
/** With 90,000 characters each, more text than is kept. */
const SOME = 600

const lines = (...all: string[]) => all.join('\n')
const ones = `(${'1, '.repeat(30)})`
const text = '"x" * 90000'

/** Formulas, with their values. */
const heavy: readonly (readonly [string, string, unknown])[] = [
  [
    'a loop of slow steps',
    lines(
      's = SPLIT("b,a," * 2400, ",")',
      'n = 0',
      'for r in T.lookupRecords(K=1):',
      '  y = sorted(s)',
      '  n += 1',
      'n',
    ),
    MANY,
  ],
  [
    'a list of long texts that a loop makes',
    lines('l = []', 'for r in T.lookupRecords(K=2):', `  l = l + [[${text} + str(r.K)]]`, 'len(l)'),
    SOME,
  ],
  ['a list of long texts', `len([(${text}) for r in T.lookupRecords(K=2)])`, SOME],
  [
    'texts that replace others',
    lines(`x = ${text}`, 'y = x.replace("x", x)', 'len(y[:5])'),
    'OverflowError',
  ],
  [
    'a formatted text in itself',
    lines(`x = ${text}`, `y = f"{x}{x}{x}{x}{x}{x}{x}{x}"`, 'len(f"{y}{y}{y}{y}")'),
    32 * 90_000,
  ],
  ['lists in lists', lines('x = [1]', `for v in ${ones}:`, '  x = [x, x]', 'x'), 'FormulaStopped'],
]

describe('compiled formulas that would hold up other documents', () => {
  beforeAll(buildWorkers)

  it.each(heavy)('are left to Python: %s', async (_, formula, expected) => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 15_000 })
    const { store, formulas } = opened
    const docId = await createTable(store, 'T', { K: 'Int' })
    const keys = Array.from({ length: MANY + SOME }, (__, row): Cell => (row < MANY ? 1 : 2))
    await addColumns(store, docId, 'T', new Map([['K', keys]]))
    const column = { id: 'F', fields: { formula, isFormula: true, type: 'Any' } }
    await store.transact(docId, author, (doc) => {
      addTables(doc, [{ id: 'P', columns: [column] }])
      addRecords(doc, 'P', { count: 1, cells: new Map() }, { noParse: true })
    })
    const [row] = await readRows(store, docId, 'P')
    expect(row?.errors?.F ?? row?.fields.F).toBe(expected)
    store.read(docId, ({ schema }) => {
      const of = columnsOf(schema).computed.find(({ column: { id } }) => id === 'F')
      expect(of && formulas.needsPython(schema, of)).toBeUndefined()
      expect(formulas.timingOf(docId, of?.column.ref ?? 0)?.compiled).toBe(0)
    })
    expect(formulas.pool.figures.started).toBe(1)
  })
})
