import { ReadRecordsRequest, RecordsForm } from '@sheaf/protos/sheaf/document_data/v1/records'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { recordsQuery } from '../../src/handlers/records-query'
import { readFormerRecords } from '../../src/moments/former-records'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { updateColumns } from '../../src/store/structure/column-updates'
import type { Change } from '../support/random-changes'
import { randomWrites } from '../support/random-writes'
import { redoRuns } from '../support/redo'
import {
  addColumns,
  author,
  createTable,
  filterJson,
  openStore,
  readText,
  takeText,
  writeOrRefuse,
} from '../support/test-store'

/** Fewer runs than redo has: each reads all tables at each moment. */
const runs = { ...redoRuns, numRuns: redoRuns.numRuns / 4, endOnFailure: true }

type Asked = Partial<ReadRecordsRequest>

/** Reads in every form, of one table. */
const forms: readonly Asked[] = [
  {},
  { form: RecordsForm.COLUMNS, hidden: true },
  { filterJson: filterJson({ id: [1, 2, 5] }) },
  { sort: ['-id'], limit: 3 },
  { view: { fields: [], onlyFields: false, count: true, offset: 1 }, limit: 2 },
  { view: { fields: [], onlyFields: false, count: true, offset: 1 } },
  { format: ResultFormat.CSV },
  { format: ResultFormat.ARROW },
]

describe('records of a former moment, without a file of it', () => {
  let folder: TempDir
  let store: DocumentStore
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path, { maxOpen: 4 })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const seqOf = (docId: string) => store.stateOf(docId).seq

  async function readFormer(docId: string, seq: number, asked: Asked): Promise<string | undefined> {
    const query = recordsQuery(ReadRecordsRequest.fromPartial({ docId, ...asked }))
    const reply = await readFormerRecords(store, { docId, seq }, query, {})
    return reply && takeText(reply.chunks)
  }

  /** What is read now, by form. */
  const readAll = (docId: string, tableId: string) =>
    Promise.all(forms.map((form) => readText(store, docId, { tableId, ...form })))

  const tablesOf = (docId: string) =>
    store.read<string[]>(docId, ({ schema }) => schema.tables.map(({ tableId }) => tableId))

  it(
    'are those that were read at that moment, over a random sequence of writes',
    async () => {
      let compared = 0
      const run = async (list: readonly Change[]) => {
        const docId = await createTable(store, 'People', { Name: 'Text', Friend: 'Ref:People' })
        const kept: { seq: number; tableId: string; answers: string[] }[] = []
        for (const change of list) {
          const seq = seqOf(docId)
          for (const tableId of tablesOf(docId))
            kept.push({ seq, tableId, answers: await readAll(docId, tableId) })
          await writeOrRefuse(store, docId, change)
        }
        for (const { seq, tableId, answers } of kept)
          for (const [index, form] of forms.entries()) {
            const former = await readFormer(docId, seq, { tableId, ...form })
            if (former === undefined) continue
            expect([seq, form, former]).toEqual([seq, form, answers[index]])
            if (seq < seqOf(docId)) compared++
          }
        await store.lifeCycle.remove(docId)
      }
      await fc.assert(fc.asyncProperty(randomWrites(10), run), runs)
      expect(compared).toBeGreaterThan(500)
    },
    redoRuns.timeoutMs,
  )

  describe('of a large table', () => {
    const ROWS = 5_000
    const page = { tableId: 'T', limit: 3 }
    const byId = (...ids: number[]) => ({ tableId: 'T', filterJson: filterJson({ id: ids }) })
    let docId = ''

    beforeEach(async () => {
      docId = await createTable(store, 'T', { A: 'Int' })
      await addColumns(
        store,
        docId,
        'T',
        new Map([['A', Array.from({ length: ROWS }, (_, i) => i)]]),
      )
    })

    const write = (change: Change) => store.transact(docId, author, (doc) => change(doc))
    const setRow = (id: number, value: number) =>
      write((doc) =>
        updateRecords(
          doc,
          'T',
          { rowIds: [id], cells: new Map([['A', [value]]]) },
          { noParse: true },
        ),
      )

    it('are a page in its own order, or rows by their ids; other reads need a file', async () => {
      const seq = seqOf(docId)
      const asked: Asked[] = [page, byId(2, 4_000, 6_000)]
      const before = await Promise.all(asked.map((of) => readText(store, docId, of)))
      await setRow(2, -2)
      await setRow(4_000, -4)
      await write((doc) => deleteRecords(doc, 'T', [3]))
      await write((doc) =>
        addRecords(doc, 'T', { count: 1, cells: new Map([['A', [7]]]) }, { noParse: true }),
      )
      for (const [index, of] of asked.entries())
        expect(await readFormer(docId, seq, of)).toBe(before[index])
      for (const other of [{ tableId: 'T' }, { ...page, sort: ['-A'] }])
        expect(await readFormer(docId, seq, other)).toBeUndefined()
    })

    it('do not show other reads what is temporary', async () => {
      const seq = seqOf(docId)
      await setRow(1, -1)
      const now = await readText(store, docId, page)
      expect(await readFormer(docId, seq, page)).not.toBe(now)
      expect(await readText(store, docId, page)).toBe(now)
    })

    it('need a file once too many rows have changed, or a column', async () => {
      const seq = seqOf(docId)
      const few = Array.from({ length: 500 }, (_, i) => i + 1)
      await write((doc) => deleteRecords(doc, 'T', few))
      expect(await readFormer(docId, seq, page)).toContain('"id":3,')
      await setRow(2_000, 0)
      expect(await readFormer(docId, seq, page)).toBeUndefined()
      const later = seqOf(docId)
      await setRow(2_000, 1)
      expect(await readFormer(docId, later, page)).toBeDefined()
      await write((doc) => updateColumns(doc, 'T', [{ id: 'A', change: { label: 'B' } }]))
      expect(await readFormer(docId, later, page)).toBeUndefined()
    })
  })

  it('failed for a table with as many columns as a table may have', async () => {
    const ids = Array.from({ length: 1_800 }, (_, i) => `C${i}`)
    const docId = await createTable(store, 'W', Object.fromEntries(ids.map((id) => [id, 'Int'])))
    await addColumns(store, docId, 'W', new Map([['C1799', [1]]]))
    const seq = seqOf(docId)
    const before = await readText(store, docId, { tableId: 'W' })
    await addColumns(store, docId, 'W', new Map([['C1799', [2]]]))
    expect(await readFormer(docId, seq, { tableId: 'W' })).toBe(before)
  })
})
