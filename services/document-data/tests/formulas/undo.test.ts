import { tempDir } from '@sheaf/testkit/temp-dir'
import { addRecords, deleteRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { addTables } from '../../src/store/structure/tables'
import { openFormulaStore, readRows } from '../support/formula-store'
import { addColumns, author, createTable } from '../support/test-store'

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
