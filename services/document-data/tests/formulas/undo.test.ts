import { tempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { addTables } from '../../src/store/structure/tables'
import { openFormulaStore, readRows } from '../support/formula-store'
import { addColumns, author, createTable } from '../support/test-store'

describe('an undo of making a formula column a data column', () => {
  const setUp = async (
    store: DocumentStore,
    change: { isFormula: boolean; formula?: string } = { isFormula: false, formula: '' },
  ) => {
    const docId = await createTable(store, 'T', { A: 'Int', B: 'Text' })
    const fields = { type: 'Int', formula: '$A * 2', isFormula: true }
    await store.transact(docId, author, (doc) => {
      addTables(doc, [{ id: 'U', columns: [{ id: 'X', fields: { type: 'Int' } }] }])
      addStructure(doc, 'T', [{ id: 'F', fields }])
    })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2, 3]]]))
    const { seq } = await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [{ id: 'F', change }]),
    )
    const update = (id: number, cells: Record<string, unknown>) =>
      store.transact(docId, author, (doc) => {
        const lists = new Map(
          Object.entries(cells).map(([column, cell]) => [column, [cell]]),
        ) as never
        updateRecords(doc, 'T', { rowIds: [id], cells: lists }, { noParse: true })
      })
    const undo = (of = seq) =>
      store.transact(docId, { ...author, cause: 'undo' }, (doc) => revertChange(doc, of))
    const values = async () => (await readRows(store, docId, 'T')).map(({ fields }) => fields.F)
    return { docId, seq, update, undo, values }
  }

  it('is not prevented by other changes of the document, nor by those of its cells that were undone', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const { docId, update, undo, values } = await setUp(store)
    await addColumns(store, docId, 'U', new Map([['X', [1]]]))
    await update(1, { A: 50, B: 'x' })
    const written = await update(2, { F: 77, A: 60 })
    await undo(written.seq)
    const removed = await store.transact(docId, author, (doc) => deleteRecords(doc, 'T', [3]))
    await undo(removed.seq)
    expect(await values()).toEqual([2, 4, 6])
    await undo()
    expect(await values()).toEqual([100, 4, 6])
    await update(1, { A: 7 })
    expect(await values()).toEqual([14, 4, 6])
  })

  it('is prevented by a later cell that is committed together with it', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { update, undo, values } = await setUp(opened.store)
    const [written, undone] = await Promise.allSettled([update(2, { F: 77 }), undo()])
    expect([written.status, undone]).toMatchObject([
      'fulfilled',
      { status: 'rejected', reason: { reason: 'CHANGED_SINCE' } },
    ])
    expect(await values()).toEqual([2, 77, 6])
  })

  it('is not prevented by rows that were added, whose cells its formula has given', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const { docId, undo, update, values } = await setUp(store, { isFormula: false })
    await addColumns(store, docId, 'T', new Map([['A', [10, 20, 30]]]))
    expect(await values()).toEqual([2, 4, 6, 20, 40, 60])
    const written = await update(5, { F: 7 })
    await expect(undo()).rejects.toThrow('later changes affect row 5 of table "T"')
    await undo(written.seq)
    await update(4, { A: 11 })
    await undo()
    expect(await values()).toEqual([2, 4, 6, 22, 40, 60])
  })

  it('names the cells that were written since, also in new rows, and changes nothing', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const { docId, seq, update, undo, values } = await setUp(store)
    await update(2, { F: 77 })
    await update(2, { B: 'later' })
    await addColumns(store, docId, 'T', new Map([['F', [6, null]]]))
    await expect(undo()).rejects.toMatchObject({
      reason: 'CHANGED_SINCE',
      message: `change ${seq} cannot be undone, because later changes affect rows 2, 4 of table "T"`,
    })
    expect(await values()).toEqual([2, 77, 6, 6, null])
    await update(2, { F: 4 })
    await store.transact(docId, author, (doc) => deleteRecords(doc, 'T', [4]))
    await undo()
    expect(await values()).toEqual([2, 4, 6, 0])
  })
})

describe('an undo in tables with formulas', () => {
  it('takes added rows away and brings removed ones back, with what their formulas compute', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'Plain', {})
    await store.transact(docId, author, (doc) => {
      addTables(doc, [
        {
          id: 'T',
          columns: [
            { id: 'A', fields: { type: 'Int' } },
            { id: 'Double', fields: { type: 'Int', formula: '$A * 2', isFormula: true } },
            { id: 'Stamp', fields: { type: 'Int', formula: '$Double + 1', isFormula: false } },
          ],
        },
        {
          id: 'U',
          columns: [
            { id: 'To', fields: { type: 'Ref:T' } },
            { id: 'Seen', fields: { formula: '$To.Double', isFormula: true } },
          ],
        },
      ])
    })
    const undo = (seq: number) =>
      store.transact(docId, { ...author, cause: 'undo' }, (doc) => revertChange(doc, seq))
    const add = (tableId: string, cells: Record<string, unknown[]>) =>
      store.transact(docId, author, (doc) => {
        const columns = new Map(Object.entries(cells)) as never
        addRecords(doc, tableId, { count: 1, cells: columns }, { noParse: true })
      })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2]]]))
    await add('U', { To: [2] })
    const before = [await readRows(store, docId, 'T'), await readRows(store, docId, 'U')]
    const { seq: added } = await add('T', { A: [5] })
    await undo(added)
    expect(await readRows(store, docId, 'T')).toEqual(before[0])
    const removed = await store.transact(docId, author, (doc) => deleteRecords(doc, 'T', [2]))
    expect((await readRows(store, docId, 'U'))[0]?.fields).toEqual({ To: 0, Seen: 0 })
    await undo(removed.seq)
    expect([await readRows(store, docId, 'T'), await readRows(store, docId, 'U')]).toEqual(before)
    // And the undo itself.
    await undo(removed.seq + 1)
    expect(await readRows(store, docId, 'T')).toHaveLength(1)
  })
})
