import { createHash, randomUUID } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { action } from '../../../tests/support/random-actions'
import { changes, type Change } from '../../../tests/support/random-changes'
import {
  AppendedRecords,
  differencesAfterRedo,
  redoRuns,
  takeBase,
  type Base,
} from '../../../tests/support/redo'
import { author, createTable, openStore } from '../../../tests/support/test-store'
import { removeAttachments } from '../attachments/attachment-removal'
import { addAttachments } from '../attachments/attachments'
import { addChunk, beginContent, CHUNK_BYTES } from '../attachments/file-contents'
import type { DocumentWriter } from '../document'
import type { DocumentStore } from '../documents/document-store'
import { addRecords, deleteRecords, updateRecords } from '../records/records'
import { revertChange } from '../revert/revert'
import { updateColumns } from '../structure/column-updates'
import type { Cell } from '../../values/column-type'

const index = fc.nat(7)
const at = <T>(items: readonly T[], n: number): T | undefined => items[n % items.length]
const types = fc.constantFrom(
  ...['Text', 'Choice', 'Int', 'Numeric', 'Bool', 'Date', 'DateTime:UTC', 'ChoiceList', 'Any'],
  ...['Ref:People', 'RefList:People', 'Attachments', 'PositionNumber', 'Blob', 'Nope'],
)
const numbers = fc.oneof(
  fc.constantFrom(-0, 0, 0.5, -1.5, 2, 3, 2 ** 31, -(2 ** 31), 2 ** 53, 2 ** 53 + 2, -(2 ** 53)),
  fc.constantFrom(1e300, -1e300, 5e-324, 1e16, 1.1, 0.1 + 0.2, 86_400, 1e21),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const cell = fc.oneof(
  numbers,
  fc.constantFrom<Cell[]>(null, true, false, '', '5', '5.0', '-0', '1e400', '9007199254740993'),
  fc.constantFrom<Cell[]>('3000000000.0', ' 7', '0x10', 'a\u0000b', '🙂', '2024-01-02', '[1,2]'),
  fc.constantFrom<Cell[]>(['L', 1, 2], ['L', 'a'], ['L'], ['d', 86_400], ['D', 1.5, 'UTC']),
  fc.string({ maxLength: 5 }),
)

/** Changes of rows with all kinds of cells, in all columns. */
const rowChanges: fc.Arbitrary<Change> = fc
  .record({
    kind: fc.constantFrom('add', 'add', 'addAt', 'update', 'update', 'place', 'remove'),
    t: index,
    from: index,
    ids: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
    list: fc.array(cell, { minLength: 8, maxLength: 8 }),
    places: fc.array(numbers, { minLength: 4, maxLength: 4 }),
    noParse: fc.boolean(),
  })
  .map(({ kind, t, from, ids, list, places, noParse }) => (doc) => {
    const table = at(doc.schema.tables, t)
    if (!table) return
    const { tableId } = table
    const present = doc.connection.pluck<number>(`SELECT id FROM "${tableId}"`).all()
    const columns = table.columns.filter(
      ({ id, isFormula, formula }) => id !== 'manualSort' && (!isFormula || formula === ''),
    )
    const cellsOf = (count: number) =>
      new Map(
        columns
          .slice(from % 3)
          .map(({ id }, c) => [id, Array.from({ length: count }, (_, row) => list[(c + row) % 8])]),
      )
    const there = ids.filter((id) => present.includes(id))
    const free = ids.filter((id) => !present.includes(id)).sort((a, b) => a - b)
    if (kind === 'add') {
      const count = from % 2 ? ids.length : 19
      addRecords(doc, tableId, { count, cells: cellsOf(count) }, { noParse })
    } else if (kind === 'addAt') {
      const cells = cellsOf(free.length)
      if (from % 2) cells.set('manualSort', places.slice(0, free.length))
      addRecords(doc, tableId, { count: free.length, cells, ids: free }, { noParse })
    } else if (kind === 'remove') deleteRecords(doc, tableId, ids)
    else {
      const cells = kind === 'update' ? cellsOf(there.length) : new Map<string, Cell[]>()
      if (kind === 'place') cells.set('manualSort', places.slice(0, there.length))
      updateRecords(doc, tableId, { rowIds: there, cells }, { noParse })
    }
  })

/** Types of every kind, several columns at once, with exchanged ids. */
const columnChanges: fc.Arbitrary<Change> = fc
  .tuple(index, index, index, types, types, fc.boolean())
  .map(([t, c, d, type, other, exchange]) => (doc) => {
    const table = at(doc.schema.tables, t)
    const columns = table?.columns.filter(({ id }) => id !== 'manualSort') ?? []
    const [left, right] = [at(columns, c), at(columns, d)]
    if (!table || !left || !right || left === right) return
    updateColumns(doc, table.tableId, [
      { id: left.id, change: { type, ...(exchange && { colId: right.id }) } },
      { id: right.id, change: { type: other, ...(exchange && { colId: left.id }) } },
    ])
  })

const sizes = fc.constantFrom(0, 1, 10, CHUNK_BYTES + 1)
const attachmentChanges: fc.Arbitrary<Change> = fc.oneof(
  fc.array(fc.tuple(sizes, fc.nat(2)), { minLength: 1, maxLength: 3 }).map((list): Change => {
    return (doc) => attach(doc, list)
  }),
  fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }).map(
    (ids): Change =>
      (doc) =>
        removeAttachments(doc, ids),
  ),
)

function attach(doc: DocumentWriter, list: readonly (readonly [number, number])[]): void {
  const upload = randomUUID()
  const files = list.map(([size, fill]) => {
    const bytes = Buffer.alloc(size, fill)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const { fileId, isNew } = beginContent(doc.connection, upload, { hash, size })
    for (let start = 0, position = 0; isNew && start < size; start += CHUNK_BYTES)
      addChunk(doc.connection, fileId, {
        position: position++,
        bytes: bytes.subarray(start, start + CHUNK_BYTES),
      })
    const fileIdent = `${createHash('sha1').update(bytes).digest('hex')}.txt`
    const fileName = `file${fill}.txt`
    return { hash, fileIdent, fileName, fileType: 'text/plain', fileSize: size, fileExt: '.txt' }
  })
  addAttachments(doc, files, { upload, maxBytes: 1e9 })
}

const reverts: fc.Arbitrary<Change> = fc.tuple(fc.nat(20), fc.boolean()).map(
  ([n, latest]): Change =>
    (doc) =>
      revertChange(doc, latest ? doc.seq : 2 + (n % Math.max(1, doc.seq - 1))),
)

const any = fc.oneof(
  { weight: 4, arbitrary: changes },
  { weight: 4, arbitrary: action },
  { weight: 5, arbitrary: rowChanges },
  { weight: 2, arbitrary: columnChanges },
  { weight: 1, arbitrary: attachmentChanges },
  { weight: 2, arbitrary: reverts },
)

/** Several changes in one entry, as `/apply` makes them. */
const several: fc.Arbitrary<Change> = fc
  .array(any, { minLength: 2, maxLength: 5 })
  .map((list) => (doc) => list.forEach((change) => change(doc)))

const sequences = fc.array(
  fc.oneof({ weight: 3, arbitrary: any }, { weight: 1, arbitrary: several }),
  { minLength: 3, maxLength: 10 },
)

describe('redo of a random sequence of writes', () => {
  let folder: TempDir
  let store: DocumentStore
  const records = new AppendedRecords()
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path, { maxOpen: 4, stages: records })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  /** Applies a change; one that is refused leaves the document unchanged. */
  async function write(docId: string, change: Change): Promise<void> {
    try {
      await store.transact(docId, author, (doc) => change(doc))
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
    }
  }

  /** What belongs to the log beside changes, in some places of a sequence: replies, and publish marks. */
  async function writeBeside(docId: string, n: number): Promise<void> {
    const reply = (doc: DocumentWriter) => {
      const of = { userId: n % 3, key: `key ${n % 5}`, digest: Buffer.alloc(32, n) }
      doc.reply = { ...of, seq: doc.nextSeq, bytes: Buffer.from(`reply ${n}`) }
    }
    const { seq } = store.stateOf(docId)
    if (n % 3 === 0) await write(docId, reply)
    if (n % 3 === 1) store.publishing.confirmPublished(docId, seq)
    if (n % 6 === 1) await store.publishing.settle(docId)
  }

  it(
    'makes the document again: from its log, from a copy and the rest of the log, from appended records',
    async () => {
      let entries = 0
      let sequencesRun = 0
      const run = async (list: readonly Change[], moment: number) => {
        const docId = await createTable(store, 'People', { Name: 'Text', Friend: 'Ref:People' })
        const start = takeBase(store, docId)
        const count = records.of(docId).length
        let base: Base | undefined
        for (const [i, change] of list.entries()) {
          if (i === moment % list.length) base = takeBase(store, docId)
          await Promise.all([write(docId, change), writeBeside(docId, moment + i)])
        }
        entries += store.stateOf(docId).seq
        sequencesRun++
        expect(differencesAfterRedo(store, docId, moment % 2 ? base : undefined)).toEqual([])
        expect(records.differencesAfterRedo(store, docId, start, count)).toEqual([])
        records.forget(docId)
        await store.lifeCycle.remove(docId)
      }
      await fc.assert(fc.asyncProperty(sequences, fc.nat(), run), redoRuns)
      // A soak may end by its time before all sequences have run.
      expect(entries / sequencesRun).toBeGreaterThan(5)
    },
    redoRuns.timeoutMs,
  )
})
