import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import { defaultFormulaLimits } from '../../src/config'
import { Formulas } from '../../src/formulas/formulas'
import { recalculate } from '../../src/formulas/recalculate'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { causes, readEntries, type Author } from '../../src/store/log/log'
import { copyDocument } from '../../src/store/exports/document-copy'
import type { Connection } from '../../src/store/sqlite/connections'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { restoreMoment } from '../../src/store/past/restore-moment'
import { revertChange } from '../../src/store/revert/revert'
import { removeColumn } from '../../src/store/structure/column-removal'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addStructure, type NewColumn } from '../../src/store/structure/columns'
import { addTables } from '../../src/store/structure/tables'
import { computed, openFormulaStore, readRows } from '../support/formula-store'
import { differencesAfterRedo } from '../support/redo'
import { author, buildWorkers, createTable, openStore } from '../support/test-store'

const as = (name: string): Author => ({
  ...author,
  userId: 7,
  person: { name, email: `${name}@example.com`, access: 'editors', isAnonymous: false },
})

/** A store in which no evaluator can be started. */
async function openWithout(folder: string, writeCells = 100) {
  const formulas = new Formulas({ ...defaultFormulaLimits, writeCells, start: undefined })
  const store = await openStore(folder, { stages: formulas })
  return { store, formulas, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

type Columns = Record<string, NewColumn['fields'] & { deps?: string[] }>

async function create(store: DocumentStore, columns: Columns): Promise<string> {
  const docId = await createTable(store, 'T', { A: 'Int', B: 'Int' })
  for (const [id, { deps = [], ...fields }] of Object.entries(columns))
    await store.transact(docId, author, (doc) => {
      const refs = deps.map((name) => doc.schema.get('T').byId.get(name)?.ref)
      const recalcDeps = refs.length > 0 ? JSON.stringify(refs) : undefined
      addStructure(doc, 'T', [{ id, fields: { isFormula: false, recalcDeps, ...fields } }])
    })
  return docId
}

const cellsOf = (fields: Record<string, readonly unknown[]>) =>
  new Map(Object.entries(fields)) as never

const add = (store: DocumentStore, docId: string, values: readonly unknown[], by = as('Ada')) =>
  store.transact(docId, by, (doc) => {
    const cells = cellsOf({ A: values })
    addRecords(doc, 'T', { count: values.length, cells }, { noParse: true })
  })

const update = (
  store: DocumentStore,
  docId: string,
  {
    ids,
    by = as('Ada'),
    ...fields
  }: { ids: readonly number[]; by?: Author; [column: string]: unknown },
) =>
  store.transact(docId, by, (doc) => {
    const rowIds = ids
    const cells = Object.entries(fields).map(([id, value]) => [id, rowIds.map(() => value)])
    updateRecords(
      doc,
      'T',
      { rowIds, cells: cellsOf(Object.fromEntries(cells) as never) },
      { noParse: true },
    )
  })

const refOf = (store: DocumentStore, docId: string, column: string) =>
  store.read(docId, ({ schema }) => schema.get('T').byId.get(column)?.ref ?? 0)

const countDue = (connection: Connection, columnRef: number) =>
  connection
    .pluck<number>('SELECT count(*) FROM _sheaf_due_cells WHERE column_ref = ?')
    .get(columnRef)

const due = (store: DocumentStore, docId: string, column: string) =>
  store.read(docId, ({ connection, schema }) =>
    countDue(connection, schema.get('T').byId.get(column)?.ref ?? 0),
  )

const valuesOf = async (store: DocumentStore, docId: string, column: string) =>
  (await readRows(store, docId, 'T')).map(({ fields }) => fields[column])

/** Resolves when no cell of the column is due. */
const madeUp = (store: DocumentStore, docId: string, column: string) =>
  eventually(() => Promise.resolve(due(store, docId, column) === 0), { timeoutMs: 60_000 })

const authorsKept = (store: DocumentStore, docId: string) =>
  store.read(docId, ({ connection }) =>
    connection.pluck<number>('SELECT count(*) FROM _sheaf_due_writes').get(),
  )

describe('trigger formulas that no evaluator could run', () => {
  it('run as soon as there is one, each as the user whose write has run it', async () => {
    await using folder = await tempDir()
    let docId: string
    {
      await using opened = await openWithout(folder.path)
      const { store } = opened
      docId = await create(store, {
        Who: { type: 'Text', formula: '"%s, %s" % (user.Name, value or "nothing")', recalcWhen: 2 },
        Twice: { type: 'Text', formula: '$Who * 2', deps: ['Who'] },
        Length: { type: 'Int', formula: 'len($Twice)', isFormula: true },
      })
      await add(store, docId, [1, 2, 3])
      await update(store, docId, { ids: [2], B: 5, by: as('Grace') })
      await update(store, docId, { ids: [3], Who: 'given', by: as('Grace') })
      expect(await valuesOf(store, docId, 'Who')).toEqual(['', '', 'given'])
      expect([due(store, docId, 'Who'), due(store, docId, 'Twice')]).toEqual([2, 3])
      expect(authorsKept(store, docId)).toBe(3)
      // They name users, so that they are no part of a copy.
      const path = `${folder.path}/${docId.slice(0, 2)}/${docId}/document.sqlite`
      copyDocument(path, `${folder.path}/copy`, { history: true, data: true })
      const copy = new Database(`${folder.path}/copy`, { readonly: true })
      const sql =
        'SELECT (SELECT count(*) FROM _sheaf_due_cells), (SELECT count(*) FROM _sheaf_due_writes)'
      expect(copy.prepare(sql).raw().get()).toEqual([0, 0])
      copy.close()
    }
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    await readRows(store, docId, 'T')
    await madeUp(store, docId, 'Twice')
    await computed(store, docId)
    const [ada, grace] = ['Ada, nothing', 'Grace, nothing']
    expect(await valuesOf(store, docId, 'Who')).toEqual([ada, grace, 'given'])
    const twice = [ada + ada, grace + grace, 'givengiven']
    expect(await valuesOf(store, docId, 'Twice')).toEqual(twice)
    expect(await valuesOf(store, docId, 'Length')).toEqual(twice.map(({ length }) => length))
    expect(due(store, docId, 'Who')).toBe(0)
    expect(authorsKept(store, docId)).toBe(0)
    const entries = store.read(docId, ({ connection }) =>
      readEntries(connection, { after: 0, upTo: 1_000, maxBytes: 1e6 }),
    )
    const late = entries.filter(({ cause }) => cause === causes.formula)
    expect(late.every(({ user }) => user === 0)).toBe(true)
    expect(JSON.stringify(late.map(({ operations }) => operations))).toContain(grace)
    expect(differencesAfterRedo(store, docId)).toEqual([])
  })

  it('run after the process that took the write was killed', async () => {
    buildWorkers()
    await using folder = await tempDir()
    const program = join(__dirname, '../support/due-writes-process.mjs')
    const child = spawn(process.execPath, [program, folder.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    let docId = ''
    for await (const line of createInterface({ input: child.stdout })) {
      docId = line
      child.kill('SIGKILL')
    }
    await ended
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    await readRows(store, docId, 'T')
    await madeUp(store, docId, 'Stamp')
    expect(await valuesOf(store, docId, 'Stamp')).toEqual([
      '1 by Ada: ',
      '2 by Ada: ',
      '3 by Ada: ',
    ])
  })

  it('have nothing to do for cells, rows, columns, formulas and writes that are gone', async () => {
    await using folder = await tempDir()
    let docId: string
    {
      await using opened = await openWithout(folder.path)
      const { store } = opened
      const stamp = { type: 'Int', formula: 'value + 1', recalcWhen: 2 }
      docId = await create(store, { Kept: stamp, Gone: stamp, Changed: stamp, Named: stamp })
      await add(store, docId, [1, 2, 3, 4])
      const undone = await update(store, docId, { ids: [4], B: 1 })
      await update(store, docId, { ids: [1], Kept: 70 })
      await store.transact(docId, author, (doc) => deleteRecords(doc, 'T', [2]))
      expect(due(store, docId, 'Kept')).toBe(2)
      await store.transact(docId, { ...author, cause: 'undo' }, (doc) =>
        revertChange(doc, undone.seq),
      )
      expect(due(store, docId, 'Kept')).toBe(1)
      const gone = refOf(store, docId, 'Gone')
      await store.transact(docId, author, (doc) => {
        removeColumn(doc, 'T', 'Gone')
        updateColumns(doc, 'T', [
          { id: 'Changed', change: { formula: 'value + 5' } },
          { id: 'Named', change: { colId: 'Renamed' } },
        ])
      })
      expect(store.read(docId, ({ connection }) => countDue(connection, gone))).toBe(0)
      expect(due(store, docId, 'Changed')).toBe(0)
      expect(due(store, docId, 'Renamed')).toBe(2)
    }
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    await readRows(store, docId, 'T')
    await madeUp(store, docId, 'Renamed')
    await madeUp(store, docId, 'Kept')
    expect(await valuesOf(store, docId, 'Kept')).toEqual([70, 1, 0])
    expect(await valuesOf(store, docId, 'Changed')).toEqual([0, 0, 0])
    expect(await valuesOf(store, docId, 'Renamed')).toEqual([1, 1, 0])
    expect(authorsKept(store, docId)).toBe(0)
  })
})

describe('trigger formulas that exceed a limit', () => {
  it('have nothing to do for writes after a moment that is restored', async () => {
    await using folder = await tempDir()
    await using opened = await openWithout(folder.path)
    const { store } = opened
    const stamp = { type: 'Int', formula: 'value + 1', recalcWhen: 2 }
    const docId = await create(store, { Kept: stamp, Other: stamp })
    const { seq } = await add(store, docId, [1, 2])
    await update(store, docId, { ids: [1], B: 1 })
    expect([due(store, docId, 'Kept'), due(store, docId, 'Other')]).toEqual([2, 2])
    const tableRef = store.read<number>(docId, ({ schema }) => schema.get('Table1').ref)
    const restore = (of: object) =>
      store.transact(docId, { ...author, cause: 'undo' }, (doc) =>
        restoreMoment(doc, { seq, ...of }),
      )
    await restore({ tableRef })
    expect(due(store, docId, 'Kept')).toBe(2)
    await restore({})
    expect([due(store, docId, 'Kept'), due(store, docId, 'Other')]).toEqual([1, 1])
  })

  it('run later, in smaller steps, when their cells were too many', async () => {
    await using folder = await tempDir()
    // A column has half of this: half of what 400 cells take, and three times what the 50 cells of the next step take, so that
    // other work on the machine makes no further step exceed it, which would end the evaluator.
    await using opened = await openFormulaStore(folder.path, { computeMs: 2_000 })
    const { store } = opened
    const slow = 'import time\nend = time.time() + 0.005\nwhile time.time() < end: pass\nreturn '
    const docId = await create(store, {
      Slow: { type: 'Text', formula: `${slow}"%s %s" % (user.Name, $A)` },
    })
    const numbers = Array.from({ length: 400 }, (_, i) => i)
    await add(store, docId, numbers)
    expect(due(store, docId, 'Slow')).toBe(400)
    // A step that is too large makes the next one smaller: with the next write or sweep.
    await eventually(
      async () => {
        await update(store, docId, { ids: [1], B: Date.now() % 1_000_000 })
        return due(store, docId, 'Slow') === 0
      },
      { timeoutMs: 60_000 },
    )
    expect(await valuesOf(store, docId, 'Slow')).toEqual(numbers.map((n) => `Ada ${n}`))
  }, 90_000)

  it('keep their cells while they are stopped, and run for them once they are recalculated', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 8_000 })
    const { store } = opened
    const docId = await create(store, {
      Hang: { type: 'Text', formula: 'while $A == 13: pass\nreturn user.Name', recalcWhen: 2 },
    })
    await add(store, docId, [13])
    await add(store, docId, [1], as('Grace'))
    expect(await valuesOf(store, docId, 'Hang')).toEqual(['', ''])
    expect(due(store, docId, 'Hang')).toBe(2)
    await update(store, docId, { ids: [1], A: 2 })
    const stopped = store.read(docId, ({ schema }) => schema.get('T').byId.get('Hang'))
    expect(stopped?.triggerStopped).toBe('time')
    await store.transact(docId, author, (doc) => {
      const table = doc.schema.get('T')
      const column = table.byId.get('Hang')
      if (column) recalculate(doc, [{ table, column }])
    })
    await madeUp(store, docId, 'Hang')
    expect(await valuesOf(store, docId, 'Hang')).toEqual(['Ada', 'Grace'])
  })
})

describe('trigger formulas that name a formula column of a large table', () => {
  const numbers = Array.from({ length: 600 }, (_, i) => i)

  it('run in the rows in which its results differ, once, after they were computed', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store } = opened
    const docId = await createTable(store, 'Settings', { Limit: 'Int' })
    await store.transact(docId, author, (doc) => {
      const cells = cellsOf({ Limit: [1000] })
      addRecords(doc, 'Settings', { count: 1, cells }, { noParse: true })
      addTables(doc, [
        {
          id: 'T',
          columns: [
            { id: 'A', fields: { type: 'Int' } },
            { id: 'B', fields: { type: 'Int' } },
            {
              id: 'Big',
              fields: {
                type: 'Bool',
                formula: '$A >= Settings.lookupOne().Limit',
                isFormula: true,
              },
            },
          ],
        },
      ])
    })
    await store.transact(docId, author, (doc) => {
      const ref = doc.schema.get('T').byId.get('Big')?.ref
      const fields = { type: 'Text', isFormula: false, recalcDeps: `[${ref}]` }
      const formula = '"%s%s by %s;" % (value or "", $Big, user.Name)'
      addStructure(doc, 'T', [{ id: 'Seen', fields: { ...fields, formula } }])
    })
    await add(store, docId, numbers)
    await computed(store, docId)
    await madeUp(store, docId, 'Seen')
    const first = 'False by Ada;'
    expect(await valuesOf(store, docId, 'Seen')).toEqual(numbers.map(() => first))
    await store.transact(docId, as('Grace'), (doc) => {
      const cells = cellsOf({ Limit: [400] })
      updateRecords(doc, 'Settings', { rowIds: [1], cells }, { noParse: true })
    })
    await computed(store, docId)
    await madeUp(store, docId, 'Seen')
    expect(await valuesOf(store, docId, 'Seen')).toEqual(
      numbers.map((n) => (n < 400 ? first : `${first}True by Grace;`)),
    )
    expect(differencesAfterRedo(store, docId)).toEqual([])
  })

  it('do not run for an undo, and run for none of its results', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store } = opened
    const docId = await create(store, {
      F: { formula: '$A * 2', isFormula: true, type: 'Int' },
      Count: { type: 'Int', formula: 'value + 1', deps: ['F'] },
    })
    await add(store, docId, numbers)
    await computed(store, docId)
    await madeUp(store, docId, 'Count')
    const ids = numbers.map((n) => n + 1)
    const { seq } = await update(store, docId, { ids, A: 7 })
    await computed(store, docId)
    await madeUp(store, docId, 'Count')
    const counts = numbers.map((n) => (n === 7 ? 1 : 2))
    expect(await valuesOf(store, docId, 'Count')).toEqual(counts)
    await store.transact(docId, { ...author, cause: 'undo' }, (doc) => revertChange(doc, seq))
    await computed(store, docId)
    expect(await valuesOf(store, docId, 'F')).toEqual(numbers.map((n) => n * 2))
    expect(due(store, docId, 'Count')).toBe(0)
    expect(await valuesOf(store, docId, 'Count')).toEqual(counts)
  })

  it('do not run again and again when it follows their results', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store } = opened
    const docId = await create(store, { Count: { type: 'Int', formula: 'value + 1' } })
    await store.transact(docId, author, (doc) => {
      addStructure(doc, 'T', [
        { id: 'F', fields: { formula: 'SUM(T.all.Count) + $A', isFormula: true, type: 'Int' } },
      ])
    })
    await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [
        { id: 'Count', change: { recalcDeps: `[${doc.schema.get('T').byId.get('F')?.ref}]` } },
      ]),
    )
    await add(store, docId, numbers)
    const settled = () =>
      store.read(docId, ({ schema }) =>
        schema
          .get('T')
          .columns.every(({ pendingAfter, hasDue }) => !hasDue && pendingAfter === undefined),
      )
    await eventually(() => Promise.resolve(settled()), { timeoutMs: 60_000 })
    expect(new Set(await valuesOf(store, docId, 'Count'))).toEqual(new Set([1]))
    expect(await valuesOf(store, docId, 'F')).toEqual(numbers.map((n) => n + 600))
  })
})
