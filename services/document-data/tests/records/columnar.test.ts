import { RecordsForm } from '@sheaf/protos/sheaf/document_data/v1/records'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { Cell } from '../../src/values/column-type'
import {
  addColumns,
  buildWorkers,
  createTable,
  filterJson,
  openStore,
  readText,
} from '../support/test-store'

const tableId = 'T'
const form = RecordsForm.COLUMNS

type Columns = Record<string, unknown[]>

describe('columnar reads', () => {
  let folder: TempDir
  let store: DocumentStore
  beforeAll(async () => {
    buildWorkers()
    folder = await tempDir()
    store = await openStore(folder.path)
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  /** A table in which each size takes another way: at once, piece by piece, and in a thread. */
  const fill = async (rows: number) => {
    const docId = await createTable(store, tableId, { A: 'Text', N: 'Numeric', L: 'ChoiceList' })
    const list = (make: (i: number) => Cell) => Array.from({ length: rows }, (_, i) => make(i))
    const cells = new Map([
      ['A', list((i) => `"${i % 977}"`)],
      ['N', list((i) => (i % 5 === 0 ? null : i / 4))],
      ['L', list((i) => (i % 3 === 0 ? ['L', 'x', "y'"] : null))],
    ])
    await addColumns(store, docId, tableId, cells)
    return docId
  }
  const asColumns = async (docId: string, request: object): Promise<Columns> =>
    JSON.parse(await readText(store, docId, { tableId, ...request, form })) as Columns
  const asRecords = async (docId: string, request: object): Promise<Columns> => {
    const text = await readText(store, docId, { tableId, ...request, hidden: true })
    const { records } = JSON.parse(text) as { records: { id: number; fields: object }[] }
    const columns: Columns = { id: [], manualSort: [], A: [], N: [], L: [] }
    for (const { id, fields } of records)
      for (const [key, value] of Object.entries({ id, ...fields })) columns[key]?.push(value)
    return columns
  }

  it.each([0, 100, 4_000, 12_000])('hold what records hold, of %d rows', async (rows) => {
    const docId = await fill(rows)
    for (const request of [
      {},
      { limit: 7 },
      { limit: 3_000, sort: ['-id'] },
      { filterJson: filterJson({ A: ['"7"', '"8"'] }) },
      { filterJson: filterJson({ L: [null] }), limit: 2_500 },
      { sort: ['-N', 'A'] },
      { filterJson: filterJson({ A: ['none'] }) },
    ])
      expect(await asColumns(docId, request)).toEqual(await asRecords(docId, request))
  })

  it('take tables with more columns than any function has arguments', async () => {
    const names = Array.from({ length: 700 }, (_, i) => `c${i}`)
    const docId = await createTable(
      store,
      tableId,
      Object.fromEntries(names.map((n) => [n, 'Int'])),
    )
    const cells = new Map(names.map((name, i) => [name, [i, -i]]))
    await addColumns(store, docId, tableId, cells)
    const columns = await asColumns(docId, { sort: ['-c0', 'c699'] })
    expect(Object.keys(columns)).toHaveLength(702)
    expect(columns.c0).toEqual([0, 0])
    expect(columns.c699).toEqual([-699, 699])
  })
})
