import { tempDir } from '@sheaf/testkit/temp-dir'
import { defaultFormulaLimits } from '../../src/config'
import { Formulas } from '../../src/formulas/formulas'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { readRows } from '../support/formula-store'
import { addColumns, author, createTable, openStore } from '../support/test-store'

jest.mock('../../src/evaluator/deno', () => ({
  ...jest.requireActual<object>('../../src/evaluator/deno'),
  findDeno: () => undefined,
}))

describe('where npm has installed no Deno', () => {
  it('formulas that need Python remain pending, writes succeed, others are computed, and one line of the log says why', async () => {
    await using folder = await tempDir()
    const log = { warn: jest.fn(), error: jest.fn() }
    await using formulas = Formulas.open(defaultFormulaLimits, log as never)
    await using store = await openStore(folder.path, { stages: formulas })
    const docId = await createTable(store, 'T', { A: 'Int' })
    await store.transact(docId, author, (doc) => {
      const column = (id: string, formula: string) => ({
        id,
        fields: { formula, isFormula: true, type: 'Any' },
      })
      addStructure(doc, 'T', [column('F', '(lambda: $A)()'), column('G', '$A * 2')])
    })
    for (let row = 1; row <= 12; row++) await addColumns(store, docId, 'T', new Map([['A', [row]]]))
    const rows = await readRows(store, docId, 'T')
    expect(rows.map(({ fields }) => fields.F)).toEqual(Array(12).fill(['P']))
    expect(rows.map(({ fields }) => fields.G)).toEqual(rows.map(({ id }) => id * 2))
    expect(formulas.pool.figures).toMatchObject({ started: 0, ended: { failure: 0 } })
    expect([log.warn.mock.calls.length, log.error.mock.calls.length]).toEqual([1, 0])
  })
})
