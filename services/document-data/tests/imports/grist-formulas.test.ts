import { createLogger } from '@sheaf/kit/logger'
import type { GristFile, GristFileTable } from '@sheaf/testkit/grist-file'
import { defaultFormulaLimits } from '../../src/config'
import { Evaluators } from '../../src/evaluator/evaluators'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import { EvaluatorPool } from '../../src/formulas/exchange/evaluator-pool'
import { recalculate } from '../../src/formulas/recalculate'
import { recomputeDocument } from '../../src/formulas/recompute-document'
import { checkFolder, type CheckStep } from '../../src/store/integrity/check-folder'
import { removeColumn } from '../../src/store/structure/column-removal'
import { updateColumns } from '../../src/store/structure/column-updates'
import { computed } from '../support/formula-store'
import { GristImports } from '../support/grist-imports'
import { author } from '../support/test-store'

let imports: GristImports
beforeAll(async () => {
  imports = await GristImports.open()
})
afterAll(() => imports[Symbol.asyncDispose]())
/** Tables whose formulas read cells of their row, over references and by lookups; Total of row 3 is odd. */
const shop: GristFile = {
  tables: [
    {
      id: 'Items',
      columns: [
        { id: 'Qty', type: 'Int' },
        { id: 'Price', type: 'Numeric' },
        { id: 'Cat', type: 'Ref:Cats', meta: { visibleCol: 10 } },
        { id: 'Total', type: 'Numeric', isFormula: true, formula: '$Qty * $Price' },
        { id: 'Label', type: 'Text', isFormula: true, formula: 'f"{$Cat.Name} x{$Qty}"' },
        { id: 'Ratio', type: 'Any', isFormula: true, formula: '1 / $Qty' },
        { id: 'Tags', type: 'ChoiceList', isFormula: true, formula: '["a"]' },
      ],
      rows: [
        [1, 2, 1.5, 1, 3, 'Fruit x2', 0.5, ['L', 'a']],
        [2, 0, 10, 2, 0, 'Veg x0', ['E', 'ZeroDivisionError'], ['L', 'a']],
        [3, 4, 0.25, 1, 77, 'Fruit x4', 0.25, ['L', 'a']],
      ],
    },
    {
      id: 'Cats',
      columns: [
        { id: 'Name', type: 'Text' },
        { id: 'Sum', type: 'Numeric', isFormula: true, formula: 'SUM($Rows.Total)' },
        { id: 'Rows', type: 'Any', isFormula: true, formula: 'Items.lookupRecords(Cat=$id)' },
        { id: 'First', type: 'Any', isFormula: true, formula: 'Items.lookupOne(Cat=$id)' },
      ],
      rows: [
        [1, 'Fruit', 4, ['r', 'Items', [1, 3]], ['R', 'Items', 1]],
        [2, 'Veg', 0, ['r', 'Items', [2]], ['R', 'Items', 2]],
      ],
    },
  ],
}

/** The table with the result that its formula gives. */
function withoutOddity(table: GristFileTable): GristFileTable {
  return {
    ...table,
    rows: table.rows.map(([id, ...cells]) => [
      id,
      ...cells.map((cell) => (cell === 77 ? 1 : cell)),
    ]),
  }
}

describe('formulas of a Grist document', () => {
  it('keep their results: nothing is pending, and nothing is computed', async () => {
    const made = await imports.import(shop)
    expect(await imports.fields(made, 'Items')).toEqual([
      { Qty: 2, Price: 1.5, Cat: 1, Total: 3, Label: 'Fruit x2', Ratio: 0.5, Tags: ['L', 'a'] },
      { Qty: 0, Price: 10, Cat: 2, Total: 0, Label: 'Veg x0', Ratio: null, Tags: ['L', 'a'] },
      { Qty: 4, Price: 0.25, Cat: 1, Total: 77, Label: 'Fruit x4', Ratio: 0.25, Tags: ['L', 'a'] },
    ])
    expect((await imports.rows(made, 'Items'))[1]?.errors).toEqual({
      Ratio: 'ZeroDivisionError',
    })
    expect(await imports.fields(made, 'Cats')).toEqual([
      { Name: 'Fruit', Sum: 4, Rows: ['r', 'Items', [1, 3]], First: ['R', 'Items', 1] },
      { Name: 'Veg', Sum: 0, Rows: ['r', 'Items', [2]], First: ['R', 'Items', 2] },
    ])
    expect(await imports.formulaState(made)).toEqual({ pending: [], cells: 0 })
  })

  it('are computed where they depend on a changed cell, over references and lookups, and nowhere else', async () => {
    const made = await imports.import(shop)
    await imports.update(made, 'Items', [1, { Qty: 3 }])
    const [first, , third] = await imports.fields(made, 'Items')
    expect(first).toMatchObject({ Total: 4.5, Label: 'Fruit x3', Ratio: 1 / 3 })
    // A result that no formula gives is still there.
    expect(third).toMatchObject({ Total: 77 })
    expect((await imports.fields(made, 'Cats')).map(({ Sum }) => Sum)).toEqual([81.5, 0])
    await imports.update(made, 'Cats', [2, { Name: 'Vegetables' }])
    expect((await imports.fields(made, 'Items'))[1]).toMatchObject({ Label: 'Vegetables x0' })
    expect((await imports.formulaState(made)).pending).toEqual([])
    // Known by now: a change of another cell computes no more than what depends on it.
    const before = (await imports.formulaState(made)).cells
    await imports.update(made, 'Items', [2, { Price: 5 }])
    expect((await imports.formulaState(made)).cells - before).toBeLessThan(6)
  })

  it('have the same results after a recalculation', async () => {
    const sound = { ...shop, tables: shop.tables.map(withoutOddity) }
    const made = await imports.import(sound)
    const before = [await imports.fields(made, 'Items'), await imports.fields(made, 'Cats')]
    await imports.store.transact(made.docId, author, (doc) =>
      recalculate(doc, columnsOf(doc.schema).computed),
    )
    await computed(imports.store, made.docId)
    expect([await imports.fields(made, 'Items'), await imports.fields(made, 'Cats')]).toEqual(
      before,
    )
    expect((await imports.formulaState(made)).cells).toBe(18)
  })

  it('are found sound by all checks of a document', async () => {
    const sound = { ...shop, tables: shop.tables.map(withoutOddity) }
    const made = await imports.import(sound)
    const { docId, file } = made
    const processes = new Evaluators({ ...defaultFormulaLimits, log: createLogger('test') })
    using pool = new EvaluatorPool(1, (handlers) => processes.start(handlers))
    const recomputed = await recomputeDocument(file, docId, pool)
    expect(recomputed).toMatchObject({ compared: 7, leftOut: 0, differences: [] })
    await imports.update(made, 'Items', [1, { Qty: 3 }])
    const steps: CheckStep[] = []
    for await (const step of checkFolder(imports.folder.path, { full: true, replay: true }))
      if (step.docId === docId) steps.push(step)
    expect(steps).toMatchObject([{ findings: [] }])
  })

  it('follow changes of columns like those of any document', async () => {
    const made = await imports.import(shop)
    await imports.store.transact(made.docId, author, (doc) =>
      updateColumns(doc, 'Items', [{ id: 'Label', change: { colId: 'Title' } }]),
    )
    await imports.store.transact(made.docId, author, (doc) => removeColumn(doc, 'Items', 'Total'))
    const [row] = await imports.fields(made, 'Items')
    expect(row).toMatchObject({ Title: 'Fruit x2' })
    expect((await imports.rows(made, 'Cats'))[0]?.errors).toHaveProperty('Sum')
  })

  it('are computed when the file does not contain their results', async () => {
    const [items, ...others] = shop.tables
    if (!items) throw new Error('there is no table')
    const rows = items.rows.map(([id, qty, price, cat]) => [id, qty, price, cat, ['P']] as const)
    const made = await imports.import({
      tables: [{ ...items, rows }, ...others],
      sql: 'ALTER TABLE Items DROP COLUMN Label',
    })
    expect((await imports.formulaState(made)).pending).toEqual(['Total', 'Label'])
    await computed(imports.store, made.docId)
    expect((await imports.fields(made, 'Items'))[2]).toMatchObject({ Total: 1, Label: 'Fruit x4' })
  })

  it('run no trigger formula when the results that the file lacks are computed', async () => {
    const made = await imports.import({
      tables: [
        {
          id: 'T',
          columns: [
            { id: 'A', type: 'Int' },
            { id: 'F', type: 'Int', isFormula: true, formula: '$A * 2' },
            { id: 'Seen', type: 'Text', formula: '"seen %s" % $F', meta: { recalcDeps: '[3]' } },
          ],
          rows: [[1, 4, ['P'], 'own']],
        },
      ],
    })
    expect((await imports.formulaState(made)).pending).toEqual(['F'])
    await computed(imports.store, made.docId)
    expect((await imports.table(made, 'T')).byId.get('Seen')?.hasDue).toBe(false)
    expect(await imports.fields(made, 'T')).toEqual([{ A: 4, F: 8, Seen: 'own' }])
    await imports.update(made, 'T', [1, { A: 5 }])
    expect(await imports.fields(made, 'T')).toEqual([{ A: 5, F: 10, Seen: 'seen 10' }])
  })
})
