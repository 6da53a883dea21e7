import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { RecordsView } from '@sheaf/protos/sheaf/document_data/v1/records'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { removeColumn } from '../../src/store/structure/column-removal'
import { addColumns as addFormulaColumns } from '../../src/store/structure/columns'
import { updateColumns } from '../../src/store/structure/column-updates'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { deleteRecords, updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { updateTables } from '../../src/store/structure/table-updates'
import type { Cell } from '../../src/values/column-type'
import {
  addColumns,
  author,
  buildWorkers,
  createTable,
  openStore,
  readText,
} from '../support/test-store'

const ROWS = 2_500
const tableId = 'Big'
/** Rules by which an order of the table is kept at the third page. */
const rules = { minRows: 2_000, minScans: 3 }
const options = { maxIndexes: 2, indexRules: rules, workers: 1 }

beforeAll(buildWorkers)

const words = ['', 'a', 'A', 'é', 'É', 'ﬁ', '“b”', 'b’s', 'a\0b', '\u{10ffff}', 'Яна', '각', null]

async function createBig(store: DocumentStore): Promise<string> {
  const docId = await createTable(store, tableId, { T: 'Text', N: 'Numeric', A: 'Any' })
  const list = (make: (i: number) => Cell) => Array.from({ length: ROWS }, (_, i) => make(i))
  const cells = new Map([
    ['T', list((i) => words[(i * 7) % words.length] ?? null)],
    ['N', list((i) => (i % 50 === 0 ? 'text' : i % 49 === 0 ? null : ((i * 31) % 40) - 20.5))],
    ['A', list((i) => (i % 3 === 0 ? i % 2 === 0 : i % 5 === 0 ? ['L', 'x', i % 7] : `a${i % 9}`))],
  ])
  await addColumns(store, docId, tableId, cells)
  return docId
}

interface Asked {
  readonly sort: string[]
  readonly limit: number
  readonly offset?: number
  readonly table?: string
  readonly count?: boolean
}

async function idsOf(store: DocumentStore, docId: string, asked: Asked): Promise<number[]> {
  const { sort, limit, offset = 0, table = tableId, count = false } = asked
  const text = await readText(store, docId, {
    tableId: table,
    sort,
    limit,
    view: RecordsView.fromPartial({ offset, count }),
  })
  // Counted rows follow the facts, on a line of their own, and lack the last brace.
  const json = count ? `${text.slice(text.indexOf('\n') + 1)}}` : text
  return (JSON.parse(json) as { records: { id: number }[] }).records.map(({ id }) => id)
}

const keptOrders = (store: DocumentStore, docId: string): string[] =>
  store.read(docId, ({ connection }) =>
    connection
      .pluck<string>('SELECT terms FROM _sheaf_orders WHERE filled = 1 ORDER BY name')
      .all(),
  )

const keep = (store: DocumentStore, docId: string, sort: string[], count: number) =>
  eventually(async () => {
    await idsOf(store, docId, { sort, limit: 10 })
    expect(keptOrders(store, docId)).toHaveLength(count)
  })

/** Pages by the kept order equal the pages of a sort of all rows, which no order serves. */
async function expectSamePages(
  store: DocumentStore,
  docId: string,
  sort: string[],
  table = tableId,
) {
  const all = await idsOf(store, docId, { sort, limit: 0, table })
  for (const [limit, offset] of [
    [10, 0],
    [700, 500],
    [9, all.length - 5],
  ] as const)
    expect(await idsOf(store, docId, { sort, limit, offset, table })).toEqual(
      all.slice(offset, offset + limit),
    )
}

describe('a kept order', () => {
  it('is made for an order that was asked for three times, within one budget with the indexes', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createBig(store)
    const before = await idsOf(store, docId, { sort: ['T', '-N'], limit: 100 })
    await idsOf(store, docId, { sort: ['T', '-N'], limit: 100 })
    expect(keptOrders(store, docId)).toEqual([])
    await keep(store, docId, ['T', '-N'], 1)
    expect(await idsOf(store, docId, { sort: ['T', '-N'], limit: 100 })).toEqual(before)
    await keep(store, docId, ['-A'], 2)
    for (let i = 0; i < 6; i++) await idsOf(store, docId, { sort: ['N'], limit: 10 })
    expect(keptOrders(store, docId)).toHaveLength(2)
  })

  it('serves pages that skip many rows and those that count all, in a thread', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createTable(store, tableId, { N: 'Numeric' })
    const values = Array.from({ length: 12_000 }, (_, i) => (i * 7919) % 12_000)
    await addColumns(store, docId, tableId, new Map([['N', values]]))
    const far = { sort: ['-N'], limit: 5, offset: 11_000 }
    const sorted = await idsOf(store, docId, far)
    const all = await idsOf(store, docId, { sort: ['-N'], limit: 0 })
    expect(sorted).toEqual(all.slice(11_000, 11_005))
    // Far pages are counted as sorts, too.
    await eventually(async () => {
      await idsOf(store, docId, far)
      expect(keptOrders(store, docId)).toHaveLength(1)
    })
    expect(await idsOf(store, docId, far)).toEqual(sorted)
    expect(await idsOf(store, docId, { ...far, offset: 0, count: true })).toEqual(all.slice(0, 5))
    // Without one of its rows, the order shows that the pages are read from it.
    const [first = 0, second] = all
    const db = new Database(join(folder.path, docId.slice(0, 2), docId, 'document.sqlite'))
    const name = db.prepare('SELECT name FROM _sheaf_orders').pluck().get() as string
    db.prepare(`DELETE FROM "${name}" WHERE id = ?`).run(first)
    db.close()
    expect(await idsOf(store, docId, far)).toEqual(all.slice(11_001, 11_006))
    const counted = await idsOf(store, docId, { ...far, limit: 1, offset: 0, count: true })
    expect(counted).toEqual([second])
  })

  it('replaces one that no page was read in for a while, when the budget of its table is used up', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createBig(store)
    await keep(store, docId, ['T', '-N'], 1)
    await keep(store, docId, ['-A'], 2)
    const [used] = keptOrders(store, docId)
    let isUsedKept = true
    await eventually(async () => {
      await idsOf(store, docId, { sort: ['T', '-N'], limit: 10 })
      await idsOf(store, docId, { sort: ['N'], limit: 10 })
      const kept = keptOrders(store, docId)
      isUsedKept &&= used !== undefined && kept.includes(used)
      expect(kept.join()).toMatch(/"N"/)
      expect(kept.join()).not.toMatch(/"A"/)
    })
    expect(isUsedKept).toBe(true)
    await expectSamePages(store, docId, ['N'])
    await expectSamePages(store, docId, ['-A'])
  })

  it('gives the pages of a sort, after any writes, and after a restart', async () => {
    await using folder = await tempDir()
    let docId = ''
    const sorts = [
      ['T', '-N'],
      ['-A', '-id'],
    ]
    {
      await using store = await openStore(folder.path, options)
      docId = await createBig(store)
      for (const [i, sort] of sorts.entries()) await keep(store, docId, sort, i + 1)
      await fc.assert(
        fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 4 }), async (writes) => {
          for (const run of writes) await run(store, docId)
          for (const sort of sorts) await expectSamePages(store, docId, sort)
          expect(keptOrders(store, docId)).toHaveLength(2)
        }),
        { numRuns: 15 },
      )
    }
    await using again = await openStore(folder.path, options)
    expect(keptOrders(again, docId)).toHaveLength(2)
    await lastWrite(again, docId)
    for (const sort of sorts) await expectSamePages(again, docId, sort)
  })

  it('keeps every write that comes while it is filled', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createBig(store)
    let isKept = false
    const writer = (async () => {
      for (let i = 0; !isKept; i++) {
        await addColumns(store, docId, tableId, new Map([['T', [`new ${i}`]]]))
        await change(store, docId, [1 + (i % ROWS)], { T: [`changed ${i}`] })
      }
    })()
    await keep(store, docId, ['T'], 1)
    isKept = true
    await writer
    await expectSamePages(store, docId, ['T'])
  })

  it('follows renames and changes of type, and goes with its column and its table', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createBig(store)
    const run = (fn: Parameters<DocumentStore['transact']>[2]) => store.transact(docId, author, fn)
    await keep(store, docId, ['N', 'T'], 1)
    await run((doc) => updateTables(doc, [{ id: tableId, change: { tableId: 'Large' } }]))
    await expectSamePages(store, docId, ['N', 'T'], 'Large')
    await run((doc) => updateTables(doc, [{ id: 'Large', change: { tableId } }]))
    const changes = [
      ['N', 'M', { colId: 'M' }],
      ['M', 'N', { colId: 'N' }],
      ['N', 'N', { type: 'Text' }],
      ['N', 'N', { type: 'Numeric' }],
    ] as const
    for (const [before, after, change] of changes) {
      await keep(store, docId, [before, 'T'], 1)
      await run((doc) => updateColumns(doc, tableId, [{ id: before, change }]))
      await addColumns(store, docId, tableId, new Map([[after, [7, 'more']]]))
      await expectSamePages(store, docId, [after, 'T'])
    }
    await keep(store, docId, ['N', 'T'], 1)
    await run((doc) => removeColumn(doc, tableId, 'N'))
    await addColumns(store, docId, tableId, new Map([['T', ['more']]]))
    expect(keptOrders(store, docId)).toEqual([])
    await expectSamePages(store, docId, ['T'])
  })

  it('is maintained by reverts', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createBig(store)
    await keep(store, docId, ['T'], 1)
    const seq = await change(store, docId, [5, 6, 7], { T: ['x', 'y', 'z'] })
    await store.transact(docId, author, (doc) => revertChange(doc, seq))
    await expectSamePages(store, docId, ['T'])
  })

  it('of a formula serves no page while its cells are pending, and is right afterwards', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createBig(store)
    const column = { id: 'F', fields: { type: 'Numeric', isFormula: true, formula: '$N' } }
    await store.transact(docId, author, (doc) => addFormulaColumns(doc, tableId, [column]))
    const computedUpTo = (row: number | null) =>
      store.transact(docId, author, (doc) => {
        const ref = doc.schema.get(tableId).byId.get('F')?.ref
        doc.connection
          .prepare(
            'INSERT OR REPLACE INTO _sheaf_formulas (column_ref, pending_after) VALUES (?, ?)',
          )
          .run(ref, row)
        doc.connection
          .prepare('UPDATE Big SET F = (id * ?) % 997 WHERE id <= ?')
          .run(row ?? 5, row ?? ROWS)
        doc.schemaChanged()
      })
    for (let i = 0; i < 9; i++) await idsOf(store, docId, { sort: ['F'], limit: 10 })
    expect(keptOrders(store, docId)).toEqual([])
    await computedUpTo(null)
    await keep(store, docId, ['F'], 1)
    await expectSamePages(store, docId, ['F'])
    for (const row of [700, null]) {
      await computedUpTo(row)
      await expectSamePages(store, docId, ['F'])
      expect(keptOrders(store, docId)).toHaveLength(1)
    }
  })

  it('is dropped when writes dominate', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, options)
    const docId = await createBig(store)
    await keep(store, docId, ['T'], 1)
    await eventually(async () => {
      const rows = Array.from({ length: 1_000 }, (_, i) => `t${i}`)
      await addColumns(store, docId, tableId, new Map([['T', rows]]))
      expect(keptOrders(store, docId)).toEqual([])
    })
    await addColumns(store, docId, tableId, new Map([['T', ['more']]]))
    await expectSamePages(store, docId, ['T'])
  })

  it('is made anew when its keys have another version', async () => {
    await using folder = await tempDir()
    let docId = ''
    {
      await using store = await openStore(folder.path, options)
      docId = await createBig(store)
      await keep(store, docId, ['T'], 1)
      await store.transact(docId, author, ({ connection }) => {
        connection.db.exec("UPDATE _sheaf_orders SET version = '0'")
      })
    }
    await using again = await openStore(folder.path, options)
    await expectSamePages(again, docId, ['T'])
    await eventually(() => Promise.resolve(expect(keptOrders(again, docId)).toEqual([])))
  })
})

async function change(
  store: DocumentStore,
  docId: string,
  rowIds: number[],
  cells: Record<string, Cell[]>,
): Promise<number> {
  const columns = new Map(Object.entries(cells))
  const { seq } = await store.transact(docId, author, (doc) => {
    updateRecords(doc, tableId, { rowIds, cells: columns }, { noParse: true })
  })
  return seq
}

type Write = (store: DocumentStore, docId: string) => Promise<unknown>

const cell = fc.oneof(fc.constantFrom(...words), fc.double({ noNaN: true }), fc.boolean())

/** An id of an existing row, by number. */
const rowAt = (store: DocumentStore, docId: string, number: number) =>
  store.read(docId, ({ connection }) =>
    connection.pluck<number>('SELECT id FROM Big ORDER BY id LIMIT 1 OFFSET ?').get(number % 2_000),
  ) ?? 1

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.array(cell, { minLength: 1, maxLength: 5 }).map(
    (cells): Write =>
      (store, docId) =>
        addColumns(
          store,
          docId,
          tableId,
          new Map([
            ['T', cells.map(String)],
            ['N', cells],
            ['A', cells],
          ]),
        ),
  ),
  fc.tuple(fc.nat(), fc.constantFrom('T', 'N', 'A', 'manualSort'), cell).map(
    ([row, column, value]): Write =>
      (store, docId) =>
        change(store, docId, [rowAt(store, docId, row)], { [column]: [value] }),
  ),
  fc.nat().map(
    (row): Write =>
      (store, docId) =>
        store.transact(docId, author, (doc) =>
          deleteRecords(doc, tableId, [rowAt(store, docId, row)]),
        ),
  ),
)

const lastWrite: Write = (store, docId) =>
  change(store, docId, [3, 4], { T: ['é', 'zz'], N: [1, null] })
