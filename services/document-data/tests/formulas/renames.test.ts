import { randomUUID } from 'node:crypto'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { findEntry } from '../../src/store/log/log'
import { revertChange } from '../../src/store/revert/revert'
import type { DocumentWriter } from '../../src/store/document'
import { updateRecords } from '../../src/store/records/records'
import { removeColumn } from '../../src/store/structure/column-removal'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { updateTables } from '../../src/store/structure/table-updates'
import { removeTables } from '../../src/store/structure/table-removal'
import { computed, openFormulaStore, readRows, type FormulaStore } from '../support/formula-store'
import { begin, beginning, type Beginning } from '../support/random-edits'
import { DATA_COLUMNS, FORMULA_COLUMNS, TABLES } from '../support/random-formulas'
import { differencesAfterRedo } from '../support/redo'
import { addColumns, author, createTable } from '../support/test-store'

describe('formulas of tables and columns that change', () => {
  let folder: TempDir
  let opened: FormulaStore
  let docId: string

  beforeEach(async () => {
    folder = await tempDir()
    opened = await openFormulaStore(folder.path)
  })
  afterEach(async () => {
    expect(differencesAfterRedo(opened.store, docId)).toEqual([])
    await opened[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const write = async (change: (doc: DocumentWriter) => unknown) =>
    (await opened.store.transact(docId, author, (doc) => void change(doc))).seq
  const rename = (from: string, to: string) =>
    write((doc) => updateColumns(doc, 'T', [{ id: from, change: { colId: to } }]))
  const rows = () => readRows(opened.store, docId, 'T')
  const fieldsOf = async () => (await rows()).map(({ fields }) => fields)

  /** A table with these rows and formulas. */
  async function make(formulas: Record<string, string>): Promise<void> {
    docId = await createTable(opened.store, 'T', { A: 'Int', B: 'Int' })
    const cells = new Map([
      ['A', [1, 2]],
      ['B', [10, 20]],
    ])
    await addColumns(opened.store, docId, 'T', cells)
    await write((doc) =>
      addStructure(
        doc,
        'T',
        Object.entries(formulas).map(([id, formula]) => ({
          id,
          fields: { isFormula: true, formula },
        })),
      ),
    )
  }

  it('are not computed again by a rename that they follow, and depend on the same cells afterwards', async () => {
    await make({ F: '$A + 1', G: 'SUM(T.lookupRecords(A=$A).B)' })
    const timed = () =>
      opened.store.read<(number | undefined)[]>(docId, ({ schema }) =>
        ['F', 'G'].map((id) => {
          const ref = schema.get('T').byId.get(id)?.ref ?? 0
          return opened.formulas.timingOf(docId, ref)?.cells
        }),
      )
    const before = timed()
    const seq = await rename('A', 'Z')
    expect(timed()).toEqual(before)
    const entry = opened.store.read(docId, ({ connection }) => findEntry(connection, seq, 1e6))
    expect(entry?.operations?.map(({ kind }) => kind)).toEqual(Array(3).fill('update_column'))
    expect(await fieldsOf()).toEqual([
      { Z: 1, B: 10, F: 2, G: 10 },
      { Z: 2, B: 20, F: 3, G: 20 },
    ])
    await write((doc) =>
      updateRecords(doc, 'T', { rowIds: [2], cells: new Map([['Z', [1]]]) }, { noParse: true }),
    )
    expect(await fieldsOf()).toEqual([
      { Z: 1, B: 10, F: 2, G: 30 },
      { Z: 1, B: 20, F: 2, G: 30 },
    ])
  })

  it('are errors after a rename that they cannot follow, until it is undone', async () => {
    await make({ F: '(lambda r: r.A)(rec) + $A', G: '$F * 2' })
    const before = await rows()
    const seq = await rename('A', 'Z')
    expect((await rows())[0]).toEqual({
      id: 1,
      fields: { Z: 1, B: 10, F: null, G: null },
      errors: { F: 'AttributeError', G: 'AttributeError' },
    })
    await write((doc) => revertChange(doc, seq))
    expect(await rows()).toEqual(before)
  })

  it('are computed again when a rename is seen in their results', async () => {
    await make({ F: 'sorted(k for k in RECORD(rec) if len(k) == 1)' })
    await rename('A', 'Z')
    expect((await fieldsOf())[0]?.F).toEqual(['L', 'B', 'F', 'Z'])
  })

  it('have the new name of their own table in their results, also where their text does not name it', async () => {
    await make({
      Str: 'str(rec)',
      Repr: '"%r of %r" % (rec, table)',
      Own: 'rec',
      Nested: 'def name(record):\n  return repr(record)\nreturn name(rec)',
      Set: 'str(table.lookupRecords(A=$A))',
      Plain: '$A + rec.B',
    })
    await write((doc) =>
      addStructure(doc, 'T', [
        { id: 'Above', fields: { isFormula: true, formula: '$Str.lower()' } },
      ]),
    )
    const timed = () =>
      opened.store.read<number | undefined>(docId, ({ schema }) => {
        const [ref = 0] = schema.tables.flatMap(({ byId }) => byId.get('Plain')?.ref ?? [])
        return opened.formulas.timingOf(docId, ref)?.cells
      })
    const before = timed()
    const named = (name: string, record: unknown) => ({
      Str: `${name}[1]`,
      Repr: `${name}[1] of <Table ${name}>`,
      Own: record,
      Nested: `${name}[1]`,
      Set: `${name}[[1]]`,
      Above: `${name.toLowerCase()}[1]`,
      Plain: 11,
    })
    const first = async (tableId: string) =>
      (await readRows(opened.store, docId, tableId))[0]?.fields
    expect(await first('T')).toMatchObject(named('T', ['R', 'T', 1]))
    const seq = await write((doc) => updateTables(doc, [{ id: 'T', change: { tableId: 'Staff' } }]))
    expect(await first('Staff')).toMatchObject(named('Staff', ['R', 'Staff', 1]))
    await write((doc) => revertChange(doc, seq))
    expect(await first('T')).toMatchObject(named('T', ['R', 'T', 1]))
    expect(timed()).toBe(before)
  })

  it('are errors without a column that they use, and heal when there is one again', async () => {
    await make({ F: '$A + 1', G: 'T.lookupOne(A=1).B' })
    const before = await rows()
    const seq = await write((doc) => removeColumn(doc, 'T', 'A'))
    expect((await rows())[0]?.errors).toEqual({ F: 'AttributeError', G: 'KeyError' })
    await write((doc) => revertChange(doc, seq))
    expect(await rows()).toEqual(before)
    await write((doc) => removeColumn(doc, 'T', 'A'))
    await write((doc) => addStructure(doc, 'T', [{ id: 'A', fields: { type: 'Int' } }]))
    expect((await fieldsOf())[0]).toMatchObject({ A: 0, F: 1, G: 0 })
  })

  it.each<[string, string, string, unknown[]]>([
    ['numbers', '$A / 2', 'Numeric', [0.5, 1]],
    ['truths', '$A > 1', 'Bool', [false, true]],
    ['texts', '"1"', 'Text', ['1', '1']],
    ['lists', '[$A, "x"]', 'Text', ["[1, 'x']", "[2, 'x']"]],
    ['dates', 'DATE(2024, 1, $A)', 'Text', ['2024-01-01', '2024-01-02']],
    ['nothing', 'None', 'Text', [null, null]],
    ['numbers beside errors', '1 / ($A - 1)', 'Numeric', [null, 1]],
  ])('give a column that becomes data a type for %s', async (_, formula, type, values) => {
    await make({ F: formula })
    const seq = await write((doc) =>
      updateColumns(doc, 'T', [{ id: 'F', change: { isFormula: false } }]),
    )
    const column = () =>
      opened.store.read<unknown>(docId, ({ schema }) => {
        const { typeName, isFormula, formula } = schema.get('T').byId.get('F') ?? {}
        return { typeName, isFormula, formula }
      })
    expect(column()).toEqual({ typeName: type, isFormula: false, formula })
    expect((await fieldsOf()).map(({ F }) => F)).toEqual(values)
    await write((doc) => revertChange(doc, seq))
    expect(column()).toEqual({ typeName: 'Any', isFormula: true, formula })
  })

  it('keep errors in a data column as long as it has a formula', async () => {
    await make({ F: '1 / ($A - 1)' })
    await write((doc) => updateColumns(doc, 'T', [{ id: 'F', change: { isFormula: false } }]))
    expect((await rows())[0]?.errors).toEqual({ F: 'ZeroDivisionError' })
    await write((doc) => updateColumns(doc, 'T', [{ id: 'F', change: { formula: '' } }]))
    expect(await rows()).toEqual([
      { id: 1, fields: { A: 1, B: 10, F: null } },
      { id: 2, fields: { A: 2, B: 20, F: 1 } },
    ])
  })

  it('have the same values after any rename, and the same text after it is undone', async () => {
    docId = randomUUID()
    await opened.store.lifeCycle.create(docId, { timezone: 'UTC', locale: 'en-US' }, author)
    const table = fc.constantFrom(...TABLES)
    const column = fc.constantFrom(...Object.keys(DATA_COLUMNS), ...FORMULA_COLUMNS)
    const formulas = () =>
      opened.store.read<string[]>(docId, ({ schema }) =>
        schema.tables.flatMap(({ columns }) => columns.map(({ formula }) => formula)),
      )
    const contents = async (to: string, from: string) => {
      await computed(opened.store, docId)
      const ids = opened.store.read<string[]>(docId, ({ schema }) =>
        schema.tables.map(({ tableId }) => tableId),
      )
      const all = await Promise.all(ids.map((id) => readRows(opened.store, docId, id)))
      return JSON.parse(JSON.stringify(all).replaceAll(`"${to}":`, `"${from}":`)) as unknown
    }
    const run = async (start: Beginning, tableId: string, from: string) => {
      await write((doc) => {
        removeTables(
          doc,
          doc.schema.tables.map(({ ref }) => ref),
        )
        begin(doc, start)
      })
      const known = opened.store.read<boolean>(
        docId,
        ({ schema }) => schema.find(tableId)?.byId.has(from) ?? false,
      )
      if (!known) return
      const [texts, before] = [formulas(), await contents('Renamed', from)]
      const seq = await write((doc) =>
        updateColumns(doc, tableId, [{ id: from, change: { colId: 'Renamed' } }]),
      )
      expect(await contents('Renamed', from)).toEqual(before)
      await write((doc) => revertChange(doc, seq))
      expect(formulas()).toEqual(texts)
      expect(await contents('Renamed', from)).toEqual(before)
    }
    await fc.assert(fc.asyncProperty(beginning, table, column, run), { numRuns: 8 })
  })
})
