import { createLogger } from '@sheaf/kit/logger'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { defaultFormulaLimits } from '../../src/config'
import { Formulas } from '../../src/formulas/formulas'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { readRows } from '../support/formula-store'
import { addColumns, author, createTable, openStore } from '../support/test-store'

const HOUR_MS = 3_600_000

describe('formulas that depend on the time', () => {
  afterEach(() => jest.restoreAllMocks())

  it('are computed again after an hour of use, and only their cells', async () => {
    await using folder = await tempDir()
    await using formulas = Formulas.open(defaultFormulaLimits, createLogger('test'))
    // Documents are looked at each second.
    await using store = await openStore(folder.path, { stages: formulas, idleMs: 4_000 })
    const docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2]]]))
    await store.transact(docId, author, (doc) => {
      const fields = { isFormula: true, type: 'Any' }
      addStructure(doc, 'T', [
        { id: 'Now', fields: { ...fields, formula: 'NOW().timestamp()' } },
        { id: 'Other', fields: { ...fields, formula: '$A + 1' } },
      ])
    })
    const times = async () => (await readRows(store, docId, 'T')).map(({ fields }) => fields.Now)
    const isAged = () => store.read(docId, ({ schema }) => formulas.isAged(docId, schema))
    const before = await times()
    const cells = formulas.figures.cells
    expect([isAged(), cells]).toEqual([false, 4])

    const { now } = Date
    jest.spyOn(Date, 'now').mockImplementation(() => now() + HOUR_MS)
    await eventually(async () => {
      const after = await times()
      expect(after.every((time, row) => Number(time) > Number(before[row]))).toBe(true)
    })
    expect(formulas.figures.cells).toBe(cells + 2)
  })
})
