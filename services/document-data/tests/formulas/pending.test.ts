import { tempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { recalculate } from '../../src/formulas/recalculate'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { computed, openFormulaStore, readRows } from '../support/formula-store'
import { addColumns, author, createTable } from '../support/test-store'

const ROWS = 1200

/** A document with more rows than a write computes. */
async function createLarge(store: DocumentStore): Promise<string> {
  const docId = await createTable(store, 'T', { A: 'Int' })
  const numbers = Array.from({ length: ROWS }, (_, i) => i)
  await addColumns(store, docId, 'T', new Map([['A', numbers]]))
  return docId
}

async function addFormula(store: DocumentStore, docId: string, formula: string): Promise<void> {
  await store.transact(docId, author, (doc) => {
    addStructure(doc, 'T', [{ id: 'F', fields: { formula, isFormula: true, type: 'Any' } }])
  })
}

async function valuesOf(store: DocumentStore, docId: string): Promise<unknown[]> {
  return (await readRows(store, docId, 'T')).map(({ fields }) => fields.F)
}

describe('a formula of a large table', () => {
  it('is pending in the rows that are not computed yet, and is computed to its end', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store } = opened
    const docId = await createLarge(store)
    await addFormula(store, docId, '$A * 2')
    expect(await valuesOf(store, docId)).toContainEqual(['P'])
    await computed(store, docId)
    expect(await valuesOf(store, docId)).toEqual(Array.from({ length: ROWS }, (_, i) => i * 2))
  })

  it('goes on after the store was closed in the middle of it', async () => {
    await using folder = await tempDir()
    let docId: string
    {
      await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
      docId = await createLarge(opened.store)
      await addFormula(opened.store, docId, '$A + 1')
    }
    await using again = await openFormulaStore(folder.path, { writeCells: 100 })
    await computed(again.store, docId)
    expect((await valuesOf(again.store, docId)).at(-1)).toBe(ROWS)
  })

  it('keeps no value of the formula before while it is pending', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 100 })
    const { store } = opened
    const docId = await createLarge(store)
    await addFormula(store, docId, '"old"')
    await computed(store, docId)
    await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [{ id: 'F', change: { formula: '"new"' } }]),
    )
    expect(await valuesOf(store, docId)).not.toContain('old')
    await computed(store, docId)
    expect(new Set(await valuesOf(store, docId))).toEqual(new Set(['new']))
  })
})

describe('a formula that does not end', () => {
  it('is stopped, and the write that added it succeeds', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 8_000 })
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2]]]))
    await addFormula(store, docId, 'while True: pass\nreturn 1')
    expect(await readRows(store, docId, 'T')).toEqual([
      { id: 1, fields: { A: 1, F: null }, errors: { F: 'FormulaStopped' } },
      { id: 2, fields: { A: 2, F: null }, errors: { F: 'FormulaStopped' } },
    ])
    await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [{ id: 'F', change: { formula: '$A + 1' } }]),
    )
    expect(await valuesOf(store, docId)).toEqual([2, 3])
  })

  it('leaves the other formulas of the document computed', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 15_000 })
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2]]]))
    await store.transact(docId, author, (doc) => {
      addStructure(doc, 'T', [
        { id: 'F', fields: { formula: '"x" * 10 ** 9', isFormula: true, type: 'Any' } },
        { id: 'G', fields: { formula: '$A * 3', isFormula: true, type: 'Any' } },
      ])
    })
    await computed(store, docId)
    const rows = await readRows(store, docId, 'T')
    expect(rows.map(({ fields }) => fields.G)).toEqual([3, 6])
    expect(rows.every(({ errors }) => errors?.F !== undefined)).toBe(true)
  })

  it('runs again when its column is recalculated', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 8_000 })
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [1]]]))
    await addFormula(store, docId, 'while True: pass\nreturn 1')
    const isStopped = () =>
      store.read(docId, ({ schema }) => columnsOf(schema).computed[0]?.column.stopped)
    expect(isStopped()).toBe('time')
    await store.transact(docId, author, (doc) => recalculate(doc, columnsOf(doc.schema).computed))
    expect(isStopped()).toBeUndefined()
    await computed(store, docId)
    expect(isStopped()).toBe('time')
  })
})
