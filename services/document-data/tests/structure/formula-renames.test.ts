import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { DocumentWriter } from '../../src/store/document'
import { findEntry } from '../../src/store/log/log'
import { updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { applyStructureAction } from '../../src/store/structure/structure-actions'
import { addOrUpdateColumns, updateColumns } from '../../src/store/structure/column-updates'
import { addColumns } from '../../src/store/structure/columns'
import { updateTables } from '../../src/store/structure/table-updates'
import { addTables } from '../../src/store/structure/tables'
import { differencesAfterRedo } from '../support/redo'
import { author, createTable, openStore } from '../support/test-store'

/** A document without an evaluator: formulas follow all the same. */
describe('formulas that use a renamed table or column', () => {
  let folder: TempDir
  let store: DocumentStore
  let docId: string

  beforeEach(async () => {
    folder = await tempDir()
    store = await openStore(folder.path)
    docId = await createTable(store, 'Items', { qty: 'Int', price: 'Numeric' })
    await write((doc) => {
      addTables(doc, [{ id: 'Cats', columns: [{ id: 'Name', fields: { type: 'Text' } }] }])
      addColumns(doc, 'Items', [
        { id: 'cat', fields: { type: 'Ref:Cats' } },
        { id: 'total', fields: { isFormula: true, formula: '$qty * $price  # $qty' } },
        { id: 'stamp', fields: { isFormula: false, type: 'Int', formula: '$qty' } },
      ])
      addColumns(doc, 'Cats', [
        {
          id: 'Sum',
          fields: { isFormula: true, formula: 'SUM(Items.lookupRecords(cat=rec).qty)' },
        },
      ])
    })
  })
  afterEach(async () => {
    expect(differencesAfterRedo(store, docId)).toEqual([])
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const write = async (change: (doc: DocumentWriter) => unknown) =>
    (await store.transact(docId, author, (doc) => void change(doc))).seq
  /** The formulas of all columns, by column. */
  const formulas = () =>
    store.read<Record<string, string>>(docId, ({ schema }) =>
      Object.fromEntries(
        schema.tables.flatMap(({ columns }) =>
          columns.flatMap(({ id, formula }) => (formula === '' ? [] : [[id, formula]])),
        ),
      ),
    )
  const refOf = (tableId: string, colId: string) =>
    store.read<number>(docId, ({ schema }) => schema.get(tableId).byId.get(colId)?.ref ?? 0)

  const renamed = {
    total: '$amount * $price  # $qty',
    stamp: '$amount',
    Sum: 'SUM(Items.lookupRecords(cat=rec).amount)',
  }

  it.each<[string, (doc: DocumentWriter) => unknown]>([
    [
      'changes its id',
      (doc) => updateColumns(doc, 'Items', [{ id: 'qty', change: { colId: 'amount' } }]),
    ],
    [
      'changes its label',
      (doc) => updateColumns(doc, 'Items', [{ id: 'qty', change: { label: 'amount' } }]),
    ],
    [
      'is put',
      (doc) => {
        const options = { noAdd: false, noUpdate: false, replaceAll: false }
        const wish = { id: 'qty', change: { colId: 'amount' }, make: { fields: {} } }
        addOrUpdateColumns(doc, 'Items', [wish], options)
      },
    ],
    [
      'is renamed by an action',
      (doc) =>
        applyStructureAction(doc, {
          kind: 'rename_column',
          tableId: 'Items',
          colId: 'qty',
          change: { colId: 'amount' },
        }),
    ],
    [
      'is a record of the metadata',
      (doc) => {
        const cells = new Map([['colId', ['amount']]])
        const ref = doc.schema.get('Items').byId.get('qty')?.ref ?? 0
        updateRecords(doc, '_grist_Tables_column', { rowIds: [ref], cells }, { noParse: true })
      },
    ],
  ])('follow in the same entry when the column %s', async (_, change) => {
    const seq = await write(change)
    expect(formulas()).toEqual(renamed)
    const operations = store.read(
      docId,
      ({ connection }) => findEntry(connection, seq, 1e6)?.operations,
    )
    expect(operations?.map(({ kind }) => kind)).toEqual(Array(4).fill('update_column'))
    expect(store.stateOf(docId).seq).toBe(seq)
  })

  it('follow a table, beside the columns that refer to it', async () => {
    await write((doc) => updateTables(doc, [{ id: 'Items', change: { tableId: 'Lines' } }]))
    expect(formulas().Sum).toBe('SUM(Lines.lookupRecords(cat=rec).qty)')
    await write((doc) => updateTables(doc, [{ id: 'Cats', change: { tableId: 'Kinds' } }]))
    await write((doc) => updateColumns(doc, 'Lines', [{ id: 'cat', change: { colId: 'kind' } }]))
    expect(formulas().Sum).toBe('SUM(Lines.lookupRecords(kind=rec).qty)')
  })

  it('follow several renames at once', async () => {
    await write((doc) =>
      updateColumns(doc, 'Items', [
        { id: 'qty', change: { colId: 'price' } },
        { id: 'price', change: { colId: 'qty' } },
      ]),
    )
    expect(formulas().total).toBe('$price2 * $qty  # $qty')
  })

  it('stay as they are given with the new name', async () => {
    await write((doc) =>
      updateColumns(doc, 'Items', [
        { id: 'qty', change: { colId: 'amount' } },
        { id: 'total', change: { formula: '$amount + $qty' } },
      ]),
    )
    expect(formulas()).toEqual({ ...renamed, total: '$amount + $qty' })
  })

  it('have their former text when the rename is undone', async () => {
    await write((doc) =>
      updateColumns(doc, 'Items', [{ id: 'total', change: { formula: '$qty + $amount' } }]),
    )
    const before = formulas()
    const seq = await write((doc) =>
      updateColumns(doc, 'Items', [{ id: 'qty', change: { colId: 'amount' } }]),
    )
    expect(formulas().total).toBe('$amount + $amount')
    await write((doc) => revertChange(doc, seq))
    expect(formulas()).toEqual(before)
  })

  it('follow when the rename is undone after they were changed, added or removed', async () => {
    const seq = await write((doc) =>
      updateColumns(doc, 'Items', [{ id: 'qty', change: { colId: 'amount' } }]),
    )
    await write((doc) => {
      updateColumns(doc, 'Items', [{ id: 'total', change: { formula: '$amount * 2' } }])
      addColumns(doc, 'Items', [
        { id: 'more', fields: { isFormula: true, formula: '$amount + 1' } },
      ])
      applyStructureAction(doc, { kind: 'remove_column', tableId: 'Items', colId: 'stamp' })
    })
    await write((doc) => revertChange(doc, seq))
    expect(formulas()).toEqual({
      total: '$qty * 2',
      more: '$qty + 1',
      Sum: 'SUM(Items.lookupRecords(cat=rec).qty)',
    })
    expect(refOf('Items', 'qty')).toBeGreaterThan(0)
  })

  it('have their former text when the rename of a table is undone', async () => {
    const before = formulas()
    const seq = await write((doc) =>
      updateTables(doc, [{ id: 'Items', change: { tableId: 'Lines' } }]),
    )
    await write((doc) => {
      addColumns(doc, 'Cats', [{ id: 'N', fields: { isFormula: true, formula: 'len(Lines.all)' } }])
    })
    await write((doc) => revertChange(doc, seq))
    expect(formulas()).toEqual({ ...before, N: 'len(Items.all)' })
  })

  it('refuse a rename that would take too long, which then changes nothing', async () => {
    const long = `$qty + len("${'x'.repeat(49_000)}")`
    await write((doc) => {
      const columns = Array.from({ length: 100 }, () => ({
        fields: { isFormula: true, formula: long },
      }))
      addColumns(doc, 'Items', columns)
    })
    await expect(
      write((doc) => updateColumns(doc, 'Items', [{ id: 'qty', change: { colId: 'amount' } }])),
    ).rejects.toMatchObject({ code: 'too_large' })
    expect(refOf('Items', 'qty')).toBeGreaterThan(0)
  })
})
