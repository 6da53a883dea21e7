import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import {
  historyParts,
  readHistory,
  type HistoryPage,
  type HistoryPlan,
} from '../../src/store/feed/history'
import { historyTable } from '../../src/store/feed/history-table'
import { revertChange } from '../../src/store/revert/revert'
import { removeTables } from '../../src/store/structure/table-removal'
import { addTables } from '../../src/store/structure/tables'
import { addColumns, author, createTable, openStore } from '../support/test-store'

const MIB = 1024 * 1024
const unbounded = { entries: 1_000_000, bytes: MIB * MIB, entryBytes: MIB * MIB }

describe('the history of a document that has a long one', () => {
  let folder: TempDir
  let store: DocumentStore
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path, { workers: 0 })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  /** A document with two tables, the first of which was written to once. */
  const newDocument = async () => {
    const docId = await createTable(store, 'Data', { A: 'Text' })
    await store.transact(docId, author, (doc) =>
      addTables(doc, [{ id: 'Other', columns: [{ id: 'A', fields: { type: 'Text' } }] }]),
    )
    const written = await addColumns(store, docId, 'Data', new Map([['A', ['a', 'b']]]))
    return { docId, written }
  }
  const refOf = (docId: string, tableId: string) =>
    store.read(docId, (doc) => historyTable(doc, tableId))
  const search = (docId: string, plan: Omit<HistoryPlan, 'export'>) =>
    store.read(docId, ({ connection }) => {
      const parts = [...historyParts(connection, { export: 'history', ...plan })]
      const json = parts.filter((part) => part !== null)
      return {
        page: JSON.parse(Buffer.concat(json).toString()) as HistoryPage,
        turns: parts.length - json.length,
      }
    })

  it('is looked through a bounded number of entries at a time, and gets on', async () => {
    const { docId, written } = await newDocument()
    for (let i = 0; i < 30; i++) await addColumns(store, docId, 'Other', new Map([['A', [`${i}`]]]))
    const tableRef = refOf(docId, 'Data')
    const bounds = { ...unbounded, entries: 12 }
    const nexts: number[] = []
    const found: number[] = []
    for (let before = 0; ;) {
      const query = { tableRef, before, limit: 100 }
      const { page } = search(docId, { query, bounds })
      found.push(...page.entries.map(({ seq }) => seq))
      nexts.push(page.next)
      if (page.next === 0) break
      expect(page.isWhole).toBe(false)
      before = page.next
    }
    // 34 entries; the last look begins with 10 of them.
    expect(nexts).toEqual([23, 11, 0])
    expect(found.at(0)).toBe(written)
  })

  it('is read a bounded number of bytes at a time, however few of them are told', async () => {
    const { docId } = await newDocument()
    const long = 'x'.repeat(100_000)
    for (let i = 0; i < 10; i++) await addColumns(store, docId, 'Data', new Map([['A', [long]]]))
    const query = { tableRef: refOf(docId, 'Data'), rowId: 1, before: 0, limit: 100 }
    const { page, turns } = search(docId, { query, bounds: { ...unbounded, bytes: 250_000 } })
    // Two of them were read, and none of them is of this row.
    expect(page).toEqual({ entries: [], next: 13, isWhole: false })
    expect(turns).toBeGreaterThanOrEqual(2)
    const whole = search(docId, { query, bounds: unbounded }).page
    expect(whole.entries.map(({ seq }) => seq)).toEqual([4])
    expect(whole.next).toBe(0)
  })

  it('gets on by one entry at least, however large that is', async () => {
    const { docId, written } = await newDocument()
    await addColumns(store, docId, 'Data', new Map([['A', ['x'.repeat(100_000)]]]))
    const query = { tableRef: refOf(docId, 'Data'), rowId: 3, before: 0, limit: 100 }
    const { page } = search(docId, { query, bounds: { ...unbounded, bytes: 1 } })
    expect(page.entries.map(({ seq }) => seq)).toEqual([written + 1])
    expect(page.next).toBe(written + 1)
  })

  it('at once reads no entry of more than 1 MiB, and no more than 2,000 of them', async () => {
    const { docId } = await newDocument()
    await addColumns(store, docId, 'Data', new Map([['A', ['x'.repeat(MIB + 1)]]]))
    const tableRef = refOf(docId, 'Data')
    const atOnce = (before = 0) =>
      store.read(docId, ({ connection }) =>
        readHistory(connection, { tableRef, before, limit: 100 }),
      )
    const [large, small] = atOnce().entries
    expect(large).not.toHaveProperty('operations')
    expect(small).toHaveProperty('operations')
    for (let i = 0; i < 2_001; i++) await addColumns(store, docId, 'Other', new Map([['A', ['-']]]))
    const page = atOnce()
    expect(page).toEqual({ entries: [], next: 7, isWhole: false })
    expect(atOnce(page.next).entries.map(({ seq }) => seq)).toContain(5)
  })

  it('of a table that is gone is found by its ref, and by nothing that was never one', async () => {
    const { docId, written } = await newDocument()
    const ref = refOf(docId, 'Data')
    const gone = await store.transact(docId, author, (doc) => removeTables(doc, [ref]))
    expect(refOf(docId, String(ref))).toBe(ref)
    const query = { tableRef: ref, before: 0, limit: 100 }
    const seqs = search(docId, { query, bounds: unbounded }).page.entries.map(({ seq }) => seq)
    expect(seqs).toEqual([gone.seq, written, 2])
    for (const name of ['Data', String(ref + 100), '0', '1e3', '9007199254740993'])
      expect(() => refOf(docId, name)).toThrow(/^Table not found/)
  })

  it('is undone up to as much as one request may bring, and what is more is refused whole', async () => {
    const { docId } = await newDocument()
    const texts = (mib: number) => Array.from({ length: mib }, () => 'x'.repeat(MIB))
    const within = await addColumns(store, docId, 'Data', new Map([['A', texts(31)]]))
    const beyond = await addColumns(store, docId, 'Data', new Map([['A', texts(33)]]))
    const revert = (seq: number) =>
      store.transact(docId, author, (doc) => {
        revertChange(doc, seq)
      })
    await expect(revert(beyond)).rejects.toMatchObject({
      code: 'too_large',
      reason: 'CHANGE_TOO_LARGE',
    })
    expect(store.stateOf(docId).seq).toBe(beyond)
    const undone = await revert(within)
    expect(undone.seq).toBe(beyond + 1)
    const count = store.read(docId, ({ connection }) =>
      connection.pluck('SELECT count(*) FROM Data').get(),
    )
    expect(count).toBe(35)
  })
})
