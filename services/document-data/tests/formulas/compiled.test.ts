import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { compiledFormula, isCompiled } from '../../src/formulas/compiled/compiled-formula'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import { addRecords, updateRecords } from '../../src/store/records/records'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { removeTables } from '../../src/store/structure/table-removal'
import { addTables } from '../../src/store/structure/tables'
import type { Cell } from '../../src/values/column-type'
import { computed, openFormulaStore, readRows, type FormulaStore } from '../support/formula-store'
import * as random from '../support/random-compiled-formulas'
import { redoRuns } from '../support/redo'
import { addColumns, author, buildWorkers, createTable } from '../support/test-store'

const ROWS = 20
const FORMULAS = 25
/** Documents with the same formulas and other rows. */
const numRuns = Math.ceil(redoRuns.numRuns / 40)

const other = {
  K: ['a', 'abc', '', 'é', null, 'a', '12'],
  V: [0.5, 2, -1.5, null, 1e16, 7, 0.1],
  W: [1, 2, 3, -7, null, 0, 2147483647],
  B: [true, false, null, true, false, true, false],
  A: [1, 'a', 2.5, null, true, '', 'abc'],
  R: [2, 1, 0, 3, 9, 4, 4],
  D: [86_400, null, 0, 86_400, -86_400, 1e9, 86_400],
  S: [
    ['L', 'a'],
    ['L', 'a', 'abc', 'a'],
    null,
    ['L', '12', ''],
    ['L', 'é', '😀a'],
    'a',
    ['L', 'abc'],
  ],
  M: [1729990800, 1729990799, null, 0, 1729990800, 4e9, 1e9],
  Q: [['L', 1], ['L', 2, 1], null, ['L', 7, 9], ['L', 4], null, ['L', 1, 2, 3]],
}

/** A formula in Python: the same, inside a function, which is not compiled. */
function inPython(formula: string): string {
  const lines = formula.split('\n')
  if (lines.length === 1) return `(lambda: ${formula})()`
  const body = [...lines.slice(0, -1), `return ${lines.at(-1)}`].map((line) => `  ${line}`)
  return ['def compute():', ...body, 'compute()'].join('\n')
}

describe('compiled formulas', () => {
  let folder: TempDir
  let opened: FormulaStore
  let docId: string
  /** Compared cells, those of them that needed no Python, and errors. */
  const counts = { cells: 0, compiled: 0, errors: 0 }

  beforeAll(async () => {
    folder = await tempDir()
    opened = await openFormulaStore(folder.path, { computeMs: 15_000, writeCells: 100_000 })
    docId = randomUUID()
    await opened.store.lifeCycle.create(
      docId,
      { timezone: 'Australia/Lord_Howe', locale: 'en-US' },
      author,
    )
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  /** Makes the tables anew, with each formula twice: as it is, and in Python. */
  async function fill(
    rows: readonly Record<string, Cell>[],
    formulas: readonly (readonly [string, string])[],
  ): Promise<void> {
    const column = (id: string, type: string) => ({ id, fields: { type } })
    const pairs = formulas.flatMap(([formula, type], i) => [
      { id: `C${i}_`, fields: { formula, isFormula: true, type } },
      { id: `P${i}_`, fields: { formula: inPython(formula), isFormula: true, type } },
    ])
    const types: Record<string, string> = {
      ...{
        K: 'Text',
        V: 'Numeric',
        W: 'Int',
        B: 'Bool',
        A: 'Any',
        D: 'Date',
        S: 'ChoiceList',
        M: 'DateTime',
      },
    }
    // Cells that hold errors.
    const zero = { id: 'Z', fields: { formula: '1 / $W', isFormula: true, type: 'Any' } }
    await opened.store.transact(docId, author, (doc) => {
      removeTables(
        doc,
        doc.schema.tables.map(({ ref }) => ref),
      )
      const targets = Object.entries(types).map(([id, type]) => column(id, type))
      addTables(doc, [
        {
          id: 'Other',
          columns: [...targets, column('R', 'Ref:Other'), column('Q', 'RefList:Other'), zero],
        },
      ])
      const data = Object.entries(random.columns).map(([id, type]) => column(id, type))
      addTables(doc, [{ id: 'Data', columns: [...data, ...pairs] }])
      const cells = new Map<string, Cell[]>(Object.entries(other))
      addRecords(doc, 'Other', { count: other.K.length, cells }, { noParse: true })
      const given = Object.keys(random.columns).map((id): [string, Cell[]] => [
        id,
        rows.map((row) => row[id] ?? null),
      ])
      addRecords(
        doc,
        'Data',
        { count: rows.length, cells: new Map(given) },
        {
          noParse: true,
        },
      )
    })
  }

  /** Formulas whose compiled result differs from that of Python. */
  function differences(formulas: readonly (readonly [string, string])[]): unknown[] {
    return opened.store.read(docId, ({ connection, schema }) => {
      const { byRef } = columnsOf(schema)
      const rows = connection.prepare<Record<string, unknown>>('SELECT * FROM "Data"').all()
      return formulas.flatMap(([formula, type], i) => {
        const of = [...byRef.values()].find(({ column }) => column.id === `C${i}_`)
        if (!of || !isCompiled(compiledFormula(schema, of))) return []
        counts.compiled += opened.formulas.timingOf(docId, of.column.ref)?.compiled ?? 0
        return rows.flatMap((row) => {
          const [found, expected] = [row[`C${i}_`], row[`P${i}_`]]
          counts.cells++
          if (typeof expected === 'string' && expected.startsWith('\u0001["E"')) counts.errors++
          return Object.is(found, expected) ? [] : [{ formula, type, found, expected, row: row.id }]
        })
      })
    })
  }

  it(
    'have the results and the errors of Python',
    async () => {
      const columns = fc.array(fc.tuple(random.compiledFormula, random.resultType), {
        minLength: FORMULAS,
        maxLength: FORMULAS,
      })
      const rows = fc.array(random.cells, { minLength: ROWS, maxLength: ROWS })
      await fc.assert(
        fc.asyncProperty(rows, columns, async (cells, formulas) => {
          await fill(cells, formulas)
          expect(differences(formulas).slice(0, 5)).toEqual([])
        }),
        { ...redoRuns, numRuns, endOnFailure: true },
      )
      // Errors and values that only Python handles are many here.
      expect(counts.compiled).toBeGreaterThan(counts.cells * 0.4)
      expect(counts.errors).toBeGreaterThan(0)
    },
    redoRuns.timeoutMs,
  )
})

describe('a document with compiled formulas', () => {
  beforeAll(buildWorkers)

  const column = (id: string, formula: string, type = 'Any') => ({
    id,
    fields: { formula, isFormula: true, type },
  })

  it('needs no evaluator', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store, formulas } = opened
    const docId = await createTable(store, 'Orders', { Qty: 'Int', Price: 'Numeric', Key: 'Text' })
    const given = { Qty: [1, 2, 3], Price: [0.5, 2, 0], Key: ['a', 'b', 'a'] }
    await addColumns(store, docId, 'Orders', new Map<string, Cell[]>(Object.entries(given)))
    await store.transact(docId, author, (doc) =>
      addStructure(doc, 'Orders', [
        column('Total', '$Qty * $Price', 'Numeric'),
        column('Shared', 'SUM(Orders.lookupRecords(Key=$Key).Total)'),
        column('Share', '$Total / $Shared'),
        column(
          'Looped',
          'x = 0\nfor r in Orders.lookupRecords(Key=$Key):\n  if r.Qty < 3:\n    x += r.Total\nx',
        ),
        column('Safe', 'try:\n  x = $Qty / ($Price - 2)\nexcept:\n  x = -1\nx'),
      ]),
    )
    await store.transact(docId, author, (doc) => {
      const cells = new Map<string, Cell[]>(Object.entries({ Key: ['b'], Price: [1] }))
      updateRecords(doc, 'Orders', { rowIds: [3], cells }, { noParse: true })
    })
    const rows = await readRows(store, docId, 'Orders')
    const results = ['Total', 'Shared', 'Share', 'Looped', 'Safe']
    expect(rows.map(({ fields }) => results.map((id) => fields[id]))).toEqual([
      [0.5, 0.5, 1, 0.5, 1 / -1.5],
      [4, 7, 4 / 7, 4, -1],
      [3, 7, 3 / 7, 4, -3],
    ])
    expect(formulas.pool.figures.started).toBe(0)
  })

  it('needs none for orders, items of lists, whole tables, loops and named errors', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store, formulas } = opened
    const docId = await createTable(store, 'T', { K: 'Text', N: 'Int', Tags: 'ChoiceList' })
    const tags: Cell[] = [['L', 'a', 'b'], null, ['L', 'b'], ['L', 'ab']]
    const given = { K: ['x', 'y', 'x', 'x'], N: [3, 5, 1, 1], Tags: tags }
    await addColumns(store, docId, 'T', new Map<string, Cell[]>(Object.entries(given)))
    const results = {
      First: ['T.lookupOne(K=$K, order_by="N").N', 1, 5, 1, 1],
      Latest: [
        'T.lookupRecords(K=$K, sort_by=("-N", "-id"))[1].id if $K == "x" else 0',
        4,
        0,
        4,
        4,
      ],
      Tagged: ['len(T.lookupRecords(Tags=CONTAINS("b")))', 2, 2, 2, 2],
      All: ['SUM(T.all.N) + len(table.all)', 14, 14, 14, 14],
      Names: [
        '", ".join(r.K for r in T.lookupRecords(order_by="-K"))',
        ...Array(4).fill('y, x, x, x'),
      ],
      Mean: ['AVERAGE(T.lookupRecords(K=$K).N)', 5 / 3, 5, 5 / 3, 5 / 3],
      Found: [
        'for r in T.all:\n  if r.K == "y": continue\n  if r.N < 3:\n    break\nr.id',
        3,
        3,
        3,
        3,
      ],
      Steps: ['n = $N\nwhile n != 1:\n  n = n // 2 if n % 2 == 0 else 3 * n + 1\nn', 1, 1, 1, 1],
      Safe: [
        'try:\n  x = 6 / ($N - 3)\nexcept ValueError:\n  x = 1\nexcept ZeroDivisionError:\n  x = -1\nx',
        -1,
        3,
        -3,
        -3,
      ],
    }
    const columns = Object.entries(results).map(([id, [formula]]) => column(id, formula as string))
    await store.transact(docId, author, (doc) => addStructure(doc, 'T', columns))
    const rows = await readRows(store, docId, 'T')
    for (const [id, [, ...expected]] of Object.entries(results))
      expect([id, ...rows.map(({ fields }) => fields[id])]).toEqual([id, ...expected])
    await store.transact(docId, author, (doc) => {
      const cells = new Map<string, Cell[]>(Object.entries({ N: [7], Tags: [['L', 'b']] }))
      updateRecords(doc, 'T', { rowIds: [4], cells }, { noParse: true })
    })
    const [first, , third] = await readRows(store, docId, 'T')
    expect(first?.fields).toMatchObject({ First: 1, Latest: 1, Tagged: 3, All: 20, Mean: 11 / 3 })
    expect(third?.fields).toMatchObject({ First: 1, Latest: 1, Tagged: 3, All: 20, Mean: 11 / 3 })
    expect(formulas.pool.figures.started).toBe(0)
  })

  it('leaves single cells to Python', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store, formulas } = opened
    const docId = await createTable(store, 'T', { A: 'Numeric' })
    await addColumns(store, docId, 'T', new Map([['A', [1, 'odd', 0, 2]]]))
    await store.transact(docId, author, (doc) =>
      addStructure(doc, 'T', [column('B', '4 / $A'), column('C', '$B + 1')]),
    )
    const rows = await readRows(store, docId, 'T')
    expect(
      rows.map(({ fields, errors }) => [fields.B ?? errors?.B, fields.C ?? errors?.C]),
    ).toEqual([
      [4, 5],
      ['TypeError', 'TypeError'],
      ['ZeroDivisionError', 'ZeroDivisionError'],
      [2, 3],
    ])
    const ref = store.read(docId, ({ schema }) => schema.get('T').byId.get('B')?.ref ?? 0)
    expect(formulas.timingOf(docId, ref)).toMatchObject({ cells: 4, errors: 2, compiled: 3 })
  })

  it('computes rows that look up a key which is computed in the same write', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { N: 'Int' })
    await addColumns(store, docId, 'T', new Map([['N', [1, 5, 9]]]))
    await store.transact(docId, author, (doc) =>
      addStructure(doc, 'T', [
        column('Twice', '$N * 2', 'Int'),
        column('Shared', 'len(T.lookupRecords(Twice=$Twice))', 'Int'),
        column('First', 'T.lookupOne(Twice=$Twice).id == $id', 'Bool'),
      ]),
    )
    await store.transact(docId, author, (doc) => {
      updateRecords(doc, 'T', { rowIds: [1], cells: new Map([['N', [5]]]) }, { noParse: true })
    })
    const rows = await readRows(store, docId, 'T')
    expect(rows.map(({ fields }) => [fields.Shared, fields.First])).toEqual([
      [2, true],
      [2, false],
      [1, true],
    ])
  })

  it('computes what reads a cell of Python after that cell', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Numeric' })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2]]]))
    const formulas = { B: '4 / $A', C: '$B + 1', D: 'SUM(T.lookupRecords(A=$A).C)' }
    await store.transact(docId, author, (doc) =>
      addStructure(
        doc,
        'T',
        Object.entries(formulas).map(([id, formula]) => column(id, formula)),
      ),
    )
    await store.transact(docId, author, (doc) => {
      const cells = new Map<string, Cell[]>([['A', ['odd']]])
      updateRecords(doc, 'T', { rowIds: [1], cells }, { noParse: true })
    })
    const [first, second] = await readRows(store, docId, 'T')
    expect(first?.errors).toEqual({ B: 'TypeError', C: 'TypeError', D: 'TypeError' })
    expect(second?.fields).toEqual({ A: 2, B: 2, C: 3, D: 3 })
  })

  it.each([
    ['return 1\n  return 2', 'SyntaxError'],
    ['if True:\n  x = 1\n   x = 2\nx', 'SyntaxError'],
    ['$A == not $A', 'SyntaxError'],
    ['x = SUM(1)\nSUM = 3\nx', 'UnboundLocalError'],
    ['not $A and $A', undefined],
    ['1 +', 'SyntaxError'],
    ['for x in []:\n  y = 1\ny', 'UnboundLocalError'],
    ['x = []\ny = x\ny += [1]\nlen(x) / 0', 'ZeroDivisionError'],
    ['try:\n  x = 1 / 0\nfinally:\n  y = 2\ny', 'ZeroDivisionError'],
    ['-1.isalnum()', 'SyntaxError'],
    ['1.year', 'SyntaxError'],
    ['1.lookupOne(A=1)', 'SyntaxError'],
  ])('leaves %j to Python, whose grammar is stricter', async (formula, error) => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Numeric' })
    await addColumns(store, docId, 'T', new Map([['A', [1]]]))
    await store.transact(docId, author, (doc) => addStructure(doc, 'T', [column('B', formula)]))
    const [row] = await readRows(store, docId, 'T')
    expect(row?.errors?.B?.replace('Indentation', 'Syntax')).toEqual(error)
  })

  it('looks up keys of a large table without Python once there is an index', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store, formulas } = opened
    const docId = await createTable(store, 'T', { K: 'Text' })
    const keys = Array.from({ length: 20_500 }, (_, row) => `key ${row % 5_000}`)
    await addColumns(store, docId, 'T', new Map([['K', keys]]))
    await store.transact(docId, author, (doc) =>
      addStructure(doc, 'T', [column('N', 'len(T.lookupRecords(K=$K))')]),
    )
    await computed(store, docId)
    const ref = store.read(docId, ({ schema }) => schema.get('T').byId.get('N')?.ref ?? 0)
    const edit = (row: number, key: string) =>
      store.transact(docId, author, (doc) => {
        const cells = new Map([['K', [key]]])
        updateRecords(doc, 'T', { rowIds: [row], cells }, { noParse: true })
      })
    let row = 0
    await eventually(async () => {
      await edit(++row, 'key 4999')
      return (formulas.timingOf(docId, ref)?.compiled ?? 0) > 0
    })
    await edit(1, 'another')
    const [first, ...others] = await readRows(store, docId, 'T')
    expect(first?.fields).toEqual({ K: 'another', N: 1 })
    const shared = others.filter(({ fields }) => fields.K === 'key 4999')
    expect(new Set(shared.map(({ fields }) => fields.N))).toEqual(new Set([shared.length]))
  })
})
