import { sampleColumn } from '../api/sample-column'
import type { Column, Row } from '../api/resources'
import { restorableColumns, restoreActions } from './restore-rows'

const table = (id: string, tableRef: number) => ({ id, fields: { tableRef } })
const restorable = (then: readonly Column[], now: readonly Column[], kinds = 'Kinds') =>
  restorableColumns(
    { tables: [table('Kinds', 1)], columns: then },
    { tables: [table(kinds, 1)], columns: now },
  )

describe('columns whose cells can be restored', () => {
  it('are matched by their ref, and those that are gone are named', () => {
    const { columns, leftOut } = restorable(
      [
        sampleColumn('Name', { colRef: 1 }),
        sampleColumn('Size', { colRef: 2, label: 'Size in m²' }),
      ],
      [sampleColumn('Title', { colRef: 1 }), sampleColumn('Size', { colRef: 3 })],
    )
    expect(columns).toMatchObject([{ idThen: 'Name', now: { id: 'Title' } }])
    expect(leftOut).toEqual(['Size in m²'])
  })

  it('have data of the same type at both moments', () => {
    const computed = { isFormula: true, formula: '1' }
    const { columns, leftOut } = restorable(
      [
        sampleColumn('Computed', { colRef: 1, ...computed }),
        sampleColumn('ComputedNow', { colRef: 2 }),
        sampleColumn('Count', { colRef: 3, type: 'Text' }),
        sampleColumn('At', { colRef: 4, type: 'DateTime:UTC' }),
        sampleColumn('Kind', { colRef: 5, type: 'Ref:Kinds' }),
        sampleColumn('Other', { colRef: 6, type: 'Ref:Kinds' }),
      ],
      [
        sampleColumn('Computed', { colRef: 1 }),
        sampleColumn('ComputedNow', { colRef: 2, ...computed }),
        sampleColumn('Count', { colRef: 3, type: 'Int' }),
        sampleColumn('At', { colRef: 4, type: 'DateTime:Europe/Berlin' }),
        sampleColumn('Kind', { colRef: 5, type: 'Ref:Sorts' }),
        sampleColumn('Other', { colRef: 6, type: 'Ref:Beds' }),
      ],
      'Sorts',
    )
    expect(columns.map(({ idThen }) => idThen)).toEqual(['At', 'Kind'])
    expect(leftOut).toEqual(['ComputedNow', 'Count', 'Other'])
  })
})

describe('actions that restore rows', () => {
  const rows: readonly Row[] = [
    { id: 1, fields: { Name: 'Roses', Changed: 100 } },
    { id: 4, fields: { Name: 'Tulips', Changed: 200 } },
  ]
  const restoring = (presentIds: readonly number[], changed: Partial<Column['fields']> = {}) =>
    restoreActions({
      tableId: 'Beds',
      rows,
      presentIds: new Set(presentIds),
      columns: [
        { idThen: 'Name', now: sampleColumn('Title') },
        { idThen: 'Changed', now: sampleColumn('Changed', changed) },
      ],
    })
  const update = [
    'BulkUpdateRecord',
    'Beds',
    [1, 4],
    { Title: ['Roses', 'Tulips'], Changed: [100, 200] },
  ]

  it('change those that exist', () => {
    expect(restoring([1, 4])).toEqual([update])
  })

  it('add those that were deleted, with their ids', () => {
    const cells = { Title: ['Tulips'], Changed: [200] }
    expect(restoring([1])).toEqual([['BulkAddRecord', 'Beds', [4], cells], update])
    const onNewRows = { formula: 'NOW()', recalcWhen: 0 }
    expect(restoring([1], onNewRows)).toEqual([['BulkAddRecord', 'Beds', [4], cells], update])
  })

  it('write the cells of trigger formulas that run on changes only to rows that exist', () => {
    const add = ['BulkAddRecord', 'Beds', [4], { Title: ['Tulips'] }]
    for (const fields of [{ recalcWhen: 2 }, { recalcWhen: 0, recalcDeps: ['L', 1] }])
      expect(restoring([1], { formula: 'NOW()', ...fields })).toEqual([add, update])
  })
})
