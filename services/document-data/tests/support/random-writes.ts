import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { removeAttachments } from '../../src/store/attachments/attachment-removal'
import { addAttachments } from '../../src/store/attachments/attachments'
import { addChunk, beginContent, CHUNK_BYTES } from '../../src/store/attachments/file-contents'
import type { DocumentWriter } from '../../src/store/document'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { removeColumn } from '../../src/store/structure/column-removal'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns } from '../../src/store/structure/columns'
import { removeTables } from '../../src/store/structure/table-removal'
import { updateTables } from '../../src/store/structure/table-updates'
import type { Cell } from '../../src/values/column-type'
import { action } from './random-actions'
import { randomBatch } from './random-batches'
import { changes, type Change } from './random-changes'
import { viewChanges } from './random-views'

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

const refs = fc.option(fc.constantFrom('[1]', '[2,3]', '[7]', '[9,4]'))
const metadata = fc.record(
  {
    parentPos: numbers,
    widgetOptions: fc.constantFrom('', '{"choices":["a","b"]}', '{"isCustomDateFormat":true}'),
    description: fc.constantFrom('', 'text', '🙂\u0000'),
    visibleCol: index,
    rules: refs,
    recalcWhen: fc.nat(2),
    recalcDeps: refs,
  },
  { requiredKeys: [] },
)

/** A column of a table that has another one. */
function columnAt(doc: DocumentWriter, t: number, c: number) {
  const table = at(doc.schema.tables, t)
  const columns = table?.columns.filter(({ id }) => id !== 'manualSort') ?? []
  const [column, sibling] = [at(columns, c), at(columns, c + 1)]
  return table && column && sibling ? { table, column, sibling } : undefined
}

/** Metadata of a column that do not concern its cells, of its table, and of a new column. */
const metadataChanges: fc.Arbitrary<Change> = fc
  .tuple(index, index, metadata, fc.option(fc.boolean()))
  .map(([t, c, change, onDemand]) => (doc) => {
    const found = columnAt(doc, t, c)
    if (!found) return
    const { table, column, sibling } = found
    if (onDemand !== null) updateTables(doc, [{ id: table.tableId, change: { onDemand } }])
    const whole = { ...change, displayCol: c % 2 ? sibling.ref : 0 }
    updateColumns(doc, table.tableId, [{ id: column.id, change: whole }])
    const { parentPos: position, ...fields } = change
    if (c % 3 === 0) addColumns(doc, table.tableId, [{ fields: { position, ...fields } }])
  })

/** Writes one after the other: a column or a table that has all metadata is removed and restored. */
const restored: fc.Arbitrary<Change[]> = fc
  .tuple(index, index, metadata, fc.boolean())
  .map(([t, c, change, isTable]) => [
    (doc) => {
      const found = columnAt(doc, t, c)
      if (!found) return
      const { tableId } = found.table
      updateTables(doc, [{ id: tableId, change: { onDemand: true } }])
      const whole = { description: 'text', displayCol: found.sibling.ref, ...change }
      updateColumns(doc, tableId, [{ id: found.column.id, change: whole }])
    },
    (doc) => {
      const found = columnAt(doc, t, c)
      if (found && isTable) removeTables(doc, [found.table.ref])
      else if (found) removeColumn(doc, found.table.tableId, found.column.id)
    },
    (doc) => revertChange(doc, doc.seq),
  ])

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

/** One change of rows, columns, tables, views or attachments of any kind, or an undo of an earlier one. */
const anyChange = fc.oneof(
  { weight: 4, arbitrary: changes },
  { weight: 4, arbitrary: action },
  { weight: 5, arbitrary: rowChanges },
  { weight: 2, arbitrary: columnChanges },
  { weight: 1, arbitrary: metadataChanges },
  { weight: 1, arbitrary: attachmentChanges },
  { weight: 2, arbitrary: reverts },
  { weight: 3, arbitrary: randomBatch(cell) },
  { weight: 3, arbitrary: viewChanges },
)

/** Several changes in one entry, as `/apply` makes them. */
const several: fc.Arbitrary<Change> = fc
  .array(anyChange, { minLength: 2, maxLength: 5 })
  .map((list) => (doc) => list.forEach((change) => change(doc)))

/** Writes of all kinds, one after the other. Any of them may be refused. */
export const randomWrites = (maxLength: number): fc.Arbitrary<Change[]> =>
  fc
    .array(
      fc.oneof(
        { weight: 9, arbitrary: anyChange.map((one) => [one]) },
        { weight: 3, arbitrary: several.map((one) => [one]) },
        { weight: 1, arbitrary: restored },
      ),
      { minLength: 3, maxLength },
    )
    .map((lists) => lists.flat())
