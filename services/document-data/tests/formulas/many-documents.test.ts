import { eventually } from '@sheaf/testkit/eventually'
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
            { id, fields: { formula: '(lambda: $A + 1)()', isFormula: true, type: 'Any' } },
          ])
        })
      expect((await readRows(store, docId, 'T'))[1]?.fields).toEqual({ A: 2, B: 3, C: 3, D: 3 })
    }
    expect(formulas.pool.running).toBe(2)
    expect(formulas.pool.figures.started).toBe(5)
  })

  it('leave room for those of others beside endless formulas of one user in many documents', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 120_000 })
    const { store, formulas } = opened
    const compute = async (userId: number, formula: string) => {
      const docId = await createTable(store, 'T', { A: 'Numeric' })
      await addColumns(store, docId, 'T', new Map([['A', [1]]]))
      await store.transact(docId, { ...author, userId }, (doc) => {
        const fields = { formula, isFormula: true, type: 'Any' }
        addStructure(doc, 'T', [{ id: 'B', fields }])
      })
      return readRows(store, docId, 'T')
    }
    const endless = Array.from({ length: 4 }, () => compute(71, 'while True: pass\nreturn 1'))
    // One of them waits, and the last evaluator is for others.
    await eventually(() => formulas.pool.queued === 1)
    expect(await compute(72, '(lambda: $A + 1)()')).toMatchObject([{ fields: { A: 1, B: 2 } }])
    expect(formulas.pool.queued).toBe(1)
    // Closing the store ends the others.
    void Promise.allSettled(endless)
  })
})
