import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { writeRestored } from '../../src/store/documents/restored-file'
import { updateRecords } from '../../src/store/records/records'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { computed, openFormulaStore, readRows } from '../support/formula-store'
import { AppendedRecords, differencesAfterRedo, openBase, takeBase } from '../support/redo'
import { addColumns, author, createTable } from '../support/test-store'

const addFormula = (store: DocumentStore, docId: string, id: string, formula: string) =>
  store.transact(docId, author, (doc) => {
    addStructure(doc, 'T', [{ id, fields: { formula, isFormula: true, type: 'Any' } }])
  })

const update = (store: DocumentStore, docId: string, id: number, cells: Record<string, number>) =>
  store.transact(docId, author, (doc) => {
    const lists = new Map(Object.entries(cells).map(([column, cell]) => [column, [cell]]))
    updateRecords(doc, 'T', { rowIds: [id], cells: lists }, { noParse: false })
  })

const valuesOf = async (store: DocumentStore, docId: string, column: string) =>
  (await readRows(store, docId, 'T')).map(({ fields }) => fields[column])

describe('a document with formulas', () => {
  it('is made again with its computed cells: of writes, of pending cells, of stopped formulas, of undone writes', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 40, computeMs: 8_000 })
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Int', K: 'Int' })
    const numbers = Array.from({ length: 200 }, (_, i) => i % 50)
    await addColumns(
      store,
      docId,
      'T',
      new Map([
        ['A', numbers],
        ['K', numbers],
      ]),
    )
    await addFormula(store, docId, 'F', '$A / 3')
    // Most cells are pending in the middle of it.
    expect(differencesAfterRedo(store, docId)).toEqual([])
    const middle = takeBase(store, docId)
    await computed(store, docId)
    await addFormula(store, docId, 'S', 'sum(T.lookupRecords(K=$A).F)')
    await addFormula(store, docId, 'Endless', 'while $A > 3: pass\nreturn $F')
    await Promise.all([1, 2, 3].map((id) => update(store, docId, id, { A: 40 + id, K: 7 })))
    await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [
        { id: 'F', change: { type: 'Text' } },
        { id: 'S', change: { isFormula: false, formula: '' } },
      ]),
    )
    await computed(store, docId)
    const stopped = store.read(docId, ({ schema }) =>
      columnsOf(schema).computed.filter(({ column }) => column.stopped),
    )
    expect(stopped).toHaveLength(1)
    const derived = store.read(docId, ({ connection }) =>
      connection
        .pluck<number>(`SELECT count(*) FROM _sheaf_log WHERE operations LIKE '%"derived":true%'`)
        .get(),
    )
    expect(derived).toBeGreaterThan(5)
    expect(differencesAfterRedo(store, docId)).toEqual([])
    expect(differencesAfterRedo(store, docId, middle)).toEqual([])
  })

  it('computes as before when it was made again, also what its base had not learned yet', async () => {
    await using folder = await tempDir()
    const records = new AppendedRecords()
    let docId: string
    let bytes: Buffer
    {
      await using opened = await openFormulaStore(folder.path, {}, records)
      const { store } = opened
      docId = await createTable(store, 'T', { A: 'Int', B: 'Int', C: 'Int' })
      await addColumns(
        store,
        docId,
        'T',
        new Map([
          ['A', [0, 0]],
          ['B', [5, 6]],
          ['C', [7, 8]],
        ]),
      )
      await addFormula(store, docId, 'F', '$B if $A == 0 else $C')
      const base = takeBase(store, docId)
      const count = records.of(docId).length
      // Only now the formula reads C.
      await update(store, docId, 1, { A: 1 })
      expect(await valuesOf(store, docId, 'F')).toEqual([7, 6])
      const made = openBase(base)
      store.read(docId, ({ connection }) => records.redo(docId, { from: count, connection, made }))
      bytes = made.db.serialize()
      made.close()
    }
    await using again = await tempDir()
    await using opened = await openFormulaStore(again.path)
    const { store } = opened
    const copy = await createWith(store, bytes)
    await computed(store, copy)
    expect(await valuesOf(store, copy, 'F')).toEqual([7, 6])
    await update(store, copy, 1, { C: 70 })
    expect(await valuesOf(store, copy, 'F')).toEqual([70, 6])
  })
})

/** Creates a document with this file, which keeps its log. */
async function createWith(store: DocumentStore, bytes: Buffer): Promise<string> {
  const docId = randomUUID()
  await store.lifeCycle.createFrom(docId, async (path) => {
    await writeRestored(path, Readable.from([bytes]))
    return undefined
  })
  return docId
}
