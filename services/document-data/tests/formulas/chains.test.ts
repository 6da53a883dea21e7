import { tempDir } from '@sheaf/testkit/temp-dir'
import { addTables } from '../../src/store/structure/tables'
import { openFormulaStore, readRows } from '../support/formula-store'
import { addColumns, author, createTable } from '../support/test-store'

const ROWS = 1500

describe('a chain of formulas over all rows of a table', () => {
  it('is computed within the write, from either end', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'Other', { A: 'Int' })
    const formulas = {
      up: 'Run.lookupOne(id=$id - 1).up + $n',
      prev: '(PREVIOUS(rec, order_by="n").prev or 0) + 1',
      down: '(Run.lookupOne(n=$n + 1).down or 0) + 1',
      rank: 'RANK(rec, order_by="-n")',
    }
    const columns = Object.entries(formulas).map(([id, formula]) => ({
      id,
      fields: { formula, isFormula: true, type: 'Int' },
    }))
    await store.transact(docId, author, (doc) =>
      addTables(doc, [{ id: 'Run', columns: [{ id: 'n', fields: { type: 'Int' } }, ...columns] }]),
    )
    const numbers = Array.from({ length: ROWS }, (_, i) => i + 1)
    await addColumns(store, docId, 'Run', new Map([['n', numbers]]))
    expect((await readRows(store, docId, 'Run')).at(-1)?.fields).toEqual({
      n: ROWS,
      up: (ROWS * (ROWS + 1)) / 2,
      prev: ROWS,
      down: 1,
      rank: 1,
    })
  })
})
