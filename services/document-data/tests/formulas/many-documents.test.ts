import { tempDir } from '@sheaf/testkit/temp-dir'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { openFormulaStore, readRows } from '../support/formula-store'
import { addColumns, author, createTable } from '../support/test-store'

describe('evaluators of many documents', () => {
  it('end for documents that need one', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { evaluators: 2 })
    const { store, formulas } = opened
    for (let i = 0; i < 5; i++) {
      const docId = await createTable(store, 'T', { A: 'Numeric' })
      await addColumns(store, docId, 'T', new Map([['A', [1, 2]]]))
      for (const id of ['B', 'C', 'D'])
        await store.transact(docId, author, (doc) => {
          addStructure(doc, 'T', [
            { id, fields: { formula: '$A + 1', isFormula: true, type: 'Any' } },
          ])
        })
      expect((await readRows(store, docId, 'T'))[1]?.fields).toEqual({ A: 2, B: 3, C: 3, D: 3 })
    }
    expect(formulas.pool.running).toBe(2)
    expect(formulas.pool.figures.started).toBe(5)
  })
})
