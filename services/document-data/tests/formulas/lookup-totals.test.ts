import { AppError } from '@sheaf/kit/errors'
import { tempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentWriter } from '../../src/store/document'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { addTables } from '../../src/store/structure/tables'
import type { Cell } from '../../src/values/column-type'
import { computed, openFormulaStore, readRows, type FormulaStore } from '../support/formula-store'
import { addColumns, author, createTable } from '../support/test-store'

const formula = (id: string, text: string, type: string) => ({
  id,
  fields: { formula: text, isFormula: true, type },
})
const options = { noParse: true }
const lists = (cells: Record<string, Cell>) =>
  new Map(Object.entries(cells).map(([id, cell]) => [id, [cell]]))

/** A document of orders with keys, and of groups that count and add up the orders of their key. */
async function createOrders(
  { store }: FormulaStore,
  rows: readonly Record<string, Cell>[],
): Promise<string> {
  const docId = await createTable(store, 'Orders', { Key: 'Text', Qty: 'Int', Price: 'Numeric' })
  const given = ['Key', 'Qty', 'Price'].map((id): [string, Cell[]] => [
    id,
    rows.map((row) => row[id] ?? null),
  ])
  await addColumns(store, docId, 'Orders', new Map(given))
  await store.transact(docId, author, (doc) =>
    addStructure(doc, 'Orders', [formula('Twice', '$Qty * 2', 'Numeric')]),
  )
  await computed(store, docId)
  await store.transact(docId, author, (doc) => {
    const found = 'Orders.lookupRecords(Key=$Key)'
    const columns = [
      { id: 'Key', fields: { type: 'Text' } },
      formula('Count', `len(${found})`, 'Int'),
      formula('Priced', `COUNT(${found}.Price)`, 'Int'),
      formula('Mean', `IFERROR(AVERAGE(${found}.Qty), 0)`, 'Numeric'),
      formula('All', 'SUM(Orders.all.Qty)', 'Int'),
      formula('Qty', `SUM(${found}.Qty)`, 'Int'),
      formula('Price', `SUM(${found}.Price)`, 'Numeric'),
      formula('Twice', `SUM(${found}.Twice)`, 'Numeric'),
    ]
    addTables(doc, [{ id: 'Groups', columns }])
  })
  await store.transact(docId, author, (doc) => {
    const columns = new Map<string, Cell[]>([['Key', ['a', 'b']]])
    addRecords(doc, 'Groups', { count: 2, cells: columns }, options)
  })
  return docId
}

/** The rows of the groups, and what they have to be by the orders. */
async function readGroups({ store }: FormulaStore, docId: string) {
  const orders = await readRows(store, docId, 'Orders')
  const groups = await readRows(store, docId, 'Groups')
  const expected = groups.map(({ fields: { Key } }) => {
    const own = orders.filter(({ fields }) => fields.Key === Key)
    const sum = (id: string) => own.reduce((total, { fields }) => total + Number(fields[id]), 0)
    const [Count, Qty, Price, Twice] = [own.length, sum('Qty'), sum('Price'), sum('Twice')]
    const Priced = own.filter(({ fields }) => fields.Price !== null).length
    const counted = own.filter(({ fields }) => fields.Qty !== null).length
    const All = orders.reduce((total, { fields }) => total + Number(fields.Qty), 0)
    return { Key, Count, Priced, Mean: counted === 0 ? 0 : Qty / counted, All, Qty, Price, Twice }
  })
  return { found: groups.map(({ fields }) => fields), expected }
}

describe('counts and sums over lookups', () => {
  let failing = false
  const append = () => {
    if (!failing) return undefined
    failing = false
    throw new AppError('unavailable', 'LOG_UNAVAILABLE', 'the log is away')
  }

  it('follow edits, rows that come and go, undo, redo, and writes that fail', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, {}, { append })
    const { store } = opened
    const docId = await createOrders(opened, [
      { Key: 'a', Qty: 1, Price: 0.1 },
      { Key: 'a', Qty: 2, Price: 0.2 },
      { Key: 'b', Qty: 3, Price: 4 },
    ])
    const check = async () => {
      const { found, expected } = await readGroups(opened, docId)
      expect(found).toEqual(expected)
    }
    const write = (run: (doc: DocumentWriter) => void) => store.transact(docId, author, run)
    const update = (row: number, cells: Record<string, Cell>) => (doc: DocumentWriter) =>
      void updateRecords(doc, 'Orders', { rowIds: [row], cells: lists(cells) }, options)
    await check()
    const steps = [
      update(1, { Qty: 10, Price: 5 }),
      update(1, { Key: 'b' }),
      update(3, { Key: 'a', Qty: -3 }),
      (doc: DocumentWriter) =>
        void addRecords(
          doc,
          'Orders',
          { count: 1, cells: lists({ Key: 'a', Qty: 7, Price: 1 }) },
          options,
        ),
      (doc: DocumentWriter) => {
        update(2, { Key: 'b' })(doc)
        update(2, { Qty: 100 })(doc)
        update(2, { Key: 'a' })(doc)
      },
      (doc: DocumentWriter) => void deleteRecords(doc, 'Orders', [2]),
    ]
    for (const step of steps) {
      const { seq } = await write(step)
      await check()
      const undone = await store.transact(docId, { ...author, cause: 'undo' }, (doc) =>
        revertChange(doc, seq),
      )
      await check()
      await store.transact(docId, { ...author, cause: 'undo' }, (doc) =>
        revertChange(doc, undone.seq),
      )
      await check()
    }
    const refused = (doc: DocumentWriter) => {
      update(1, { Qty: 1_000, Key: 'a' })(doc)
      throw new AppError('invalid', 'REFUSED', 'refused')
    }
    const group = await Promise.allSettled([
      write(update(1, { Qty: 20 })),
      write(refused),
      write(update(3, { Qty: 30 })),
    ])
    expect(group.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await check()
    failing = true
    await expect(write(update(1, { Qty: 5_000 }))).rejects.toThrow('the log is away')
    await check()
    await write(update(1, { Qty: 21 }))
    await check()
  })

  it('of blank cells are an error of sum, and none of SUM, COUNT and AVERAGE', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await createOrders(opened, [{ Key: 'a', Qty: 4 }, { Key: 'a' }])
    const cells = 'Orders.lookupRecords(Key=$Key).Qty'
    await opened.store.transact(docId, author, (doc) =>
      addStructure(
        doc,
        'Groups',
        ['sum', 'SUM', 'COUNT', 'AVERAGE'].map((name, i) =>
          formula(`F${i}`, `${name}(${cells})`, 'Any'),
        ),
      ),
    )
    const [first] = await readRows(opened.store, docId, 'Groups')
    expect(first?.errors).toMatchObject({ F0: 'TypeError' })
    expect(first?.fields).toMatchObject({ F1: 4, F2: 1, F3: 4 })
  })

  it('over 30,000 rows with one key need neither an index nor Python', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store, formulas } = opened
    const rows = Array.from({ length: 30_000 }, (_, row) => ({ Key: 'a', Qty: row, Price: row }))
    const docId = await createOrders(opened, rows)
    for (let row = 1; row <= 5; row++)
      await store.transact(docId, author, (doc) => {
        updateRecords(
          doc,
          'Orders',
          { rowIds: [row], cells: lists({ Qty: row, Key: 'b' }) },
          options,
        )
      })
    const { found, expected } = await readGroups(opened, docId)
    expect(found.map(({ Count, Qty }) => [Count, Qty])).toEqual(
      expected.map(({ Count, Qty }) => [Count, Qty]),
    )
    expect(formulas.pool.figures.started).toBe(0)
  })
})
