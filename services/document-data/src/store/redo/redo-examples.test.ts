import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBase } from '../../../tests/support/redo'
import { author } from '../../../tests/support/test-store'
import { removeAttachments } from '../attachments/attachment-removal'
import { addAttachments } from '../attachments/attachments'
import { addChunk, beginContent, claimContent } from '../attachments/file-contents'
import { DocumentWriter } from '../document'
import { DerivedGroup } from '../documents/derived-group'
import { createDocumentBytes } from '../documents/new-document'
import type { Operation } from '../log/log'
import { addRecords, deleteRecords, updateRecords } from '../records/records'
import { readSchema } from '../schema/schema'
import type { Connection } from '../sqlite/connections'
import { removeColumn } from '../structure/column-removal'
import { updateColumns } from '../structure/column-updates'
import { addColumns } from '../structure/columns'
import { removeTables } from '../structure/table-removal'
import { updateTables } from '../structure/table-updates'
import { addTables } from '../structure/tables'
import { compareDocuments } from './compare-documents'
import { localState } from './local-state'
import { redoEntry } from './redo-entry'

const options = { noParse: false }
const bytes = Buffer.from('hello')
const content = { hash: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }

/** The writes of the examples of docs/log.md, in their order. */
const writes: readonly (readonly [string, (doc: DocumentWriter) => unknown])[] = [
  ['add_table', (doc) => addTables(doc, [{ id: 'People', columns: [{ id: 'Name', fields: {} }] }])],
  ['update_table', (doc) => updateTables(doc, [{ id: 'People', change: { tableId: 'Staff' } }])],
  [
    'add_column',
    (doc) =>
      addColumns(doc, 'Staff', [
        { id: 'Age', fields: { type: 'Int' } },
        { id: 'Pay', fields: { type: 'Numeric' } },
      ]),
  ],
  [
    'add_rows',
    (doc) => {
      const cells = new Map([
        ['Name', ['Ann', 'Bo']],
        ['Age', [31, null]],
      ])
      addRecords(doc, 'Staff', { count: 2, cells }, options)
    },
  ],
  [
    'update_rows',
    (doc) => {
      const cells = new Map([['Pay', [1200.5]]])
      updateRecords(doc, 'Staff', { rowIds: [2], cells }, options)
    },
  ],
  [
    'update_column',
    (doc) => updateColumns(doc, 'Staff', [{ id: 'Age', change: { type: 'Text' } }]),
  ],
  [
    'update_column: exchanged ids',
    (doc) =>
      updateColumns(doc, 'Staff', [
        { id: 'Name', change: { colId: 'Age' } },
        { id: 'Age', change: { colId: 'Name' } },
      ]),
  ],
  [
    'update_column: first values of an empty column',
    (doc) => addRecords(doc, 'Table1', { count: 1, cells: new Map([['A', [5]]]) }, options),
  ],
  [
    'update_column: type of an empty column',
    (doc) => updateColumns(doc, 'Table1', [{ id: 'B', change: { type: 'Int' } }]),
  ],
  [
    'add_column: references',
    (doc) => addColumns(doc, 'Table1', [{ id: 'Next', fields: { type: 'Ref:Table1' } }]),
  ],
  ['add_column: formula', addFormula],
  ['remove_rows', (doc) => deleteRecords(doc, 'Staff', [2])],
  ['remove_column', (doc) => removeColumn(doc, 'Staff', 'Pay')],
  ['remove_table', (doc) => removeTables(doc, [2])],
  ['add_rows: attachments', attach],
  ['remove_rows: attachments', (doc) => removeAttachments(doc, [1])],
]

/** Adds a formula, and what the group of the write computes. */
function addFormula(doc: DocumentWriter): void {
  const fields = { isFormula: true, type: 'Numeric', formula: '$A * 2' }
  addColumns(doc, 'Table1', [{ id: 'Twice', fields }])
  const group = new DerivedGroup({
    docId: '',
    connection: doc.connection,
    tasks: new Set(),
    entries: () => [],
    schema: () => doc.schema,
    schemaChanged: () => doc.schemaChanged(),
    beginEntry: () => {},
    extendEntry: (_, operations) => {
      for (const operation of operations) doc.record(operation)
    },
    noteDue: () => {},
  })
  const table = doc.schema.get('Table1')
  const column = table.byId.get('Twice')
  if (column) group.write({ table, column, rowIds: [1], values: [10n], owners: () => 2 })
  group.finish()
}

function attach(doc: DocumentWriter): void {
  const { fileId } = beginContent(doc.connection, 'upload', content)
  addChunk(doc.connection, fileId, { position: 0, bytes })
  const fileIdent = `${createHash('sha1').update(bytes).digest('hex')}.txt`
  const file = { fileIdent, fileName: 'hello.txt', fileType: 'text/plain', fileExt: '.txt' }
  const files = [{ ...file, hash: content.hash, fileSize: content.size }]
  addAttachments(doc, files, { upload: 'upload', maxBytes: 1e6 })
}

function createFiles(): [Connection, Connection] {
  const made = createDocumentBytes({ timezone: 'UTC', locale: 'en-US' }, author)
  const base = { seq: 1, bytes: made.bytes }
  return [openBase(base), openBase(base)]
}

const writerOf = (connection: Connection) =>
  new DocumentWriter('', connection, readSchema(connection), 1)

/** The operations as the log returns them. */
const logged = (operations: readonly Operation[]) =>
  JSON.parse(JSON.stringify(operations)) as Operation[]

/** Every kind of operation: a new one needs an example. */
const kinds: Readonly<Record<Operation['kind'], true>> = {
  add_table: true,
  update_table: true,
  remove_table: true,
  add_column: true,
  update_column: true,
  remove_column: true,
  add_rows: true,
  update_rows: true,
  remove_rows: true,
}

/** The tables of every file that redo makes, with their columns. */
const redone = {
  _grist_DocInfo: 'id docId peers basketId schemaVersion timezone documentSettings',
  _grist_Tables:
    'id tableId primaryViewId summarySourceTable onDemand rawViewSectionRef recordCardViewSectionRef',
  _grist_Tables_column:
    'id parentId parentPos colId type widgetOptions isFormula formula label description ' +
    'untieColIdFromLabel summarySourceCol displayCol visibleCol rules reverseCol recalcWhen recalcDeps',
  _grist_Attachments:
    'id fileIdent fileName fileType fileSize fileExt imageHeight imageWidth timeDeleted timeUploaded',
  _sheaf_tables: 'table_ref manual_sort_top',
  _sheaf_refs: 'kind highest',
  _sheaf_views:
    'id tableRef position name type description filter sort columns frozenColumns rowHeight wrapText groupBy summaries form',
  _sheaf_log: 'seq time user cause traceparent tables operations checksum lsn key_id',
}

const page = readFileSync(join(__dirname, '../../../../../docs/log.md'), 'utf8')
const examples = [...page.matchAll(/^### `(\w+)`(.*)\n[^]*?```json\n([^]*?)```/gm)].map(
  ([, kind = '', more = '', json = '']) =>
    [kind + more, JSON.parse(json) as readonly Operation[]] as const,
)

describe('redo', () => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 2, 1))
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  it('of each example of docs/log.md does what its write did', () => {
    expect(examples.map(([name]) => name)).toEqual(writes.map(([name]) => name))
    const shown = examples.flatMap(([, operations]) => operations.map(({ kind }) => kind))
    expect([...new Set(shown)].sort()).toEqual(Object.keys(kinds).sort())
    const [written, redone] = createFiles()
    for (const [i, [name, write]] of writes.entries()) {
      const doc = writerOf(written)
      write(doc)
      expect([name, logged(doc.operations)]).toEqual(examples[i])
      redoEntry(writerOf(redone), examples[i]?.[1] ?? [], () => [bytes])
      expect([name, ...compareDocuments(written, redone)]).toEqual([name])
      redone.forget()
    }
  })

  it('gives attachments the content that an archive restored', () => {
    const [written, redone] = createFiles()
    for (const connection of [written, redone]) {
      attach(writerOf(connection))
      connection.db.exec(
        'DELETE FROM _sheaf_attachments; DELETE FROM _sheaf_file_chunks; DELETE FROM _sheaf_files',
      )
    }
    const { fileId } = beginContent(written, 'restore', content)
    addChunk(written, fileId, { position: 0, bytes })
    claimContent(written, 'restore', content.hash)
    written.prepare('INSERT INTO _sheaf_attachments VALUES (1, ?)').run(fileId)
    expect(compareDocuments(written, redone)).toEqual([
      'attachment 1 has contents on one side only',
    ])
    const columns = [{ id: 'fileSize', ref: 0, type: 'Int', old: [5], new: [5] }]
    const rows = { table: '_grist_Attachments', tableRef: 0, rowIds: [1], columns }
    const operation: Operation = { kind: 'update_rows', ...rows, contents: [content] }
    redoEntry(writerOf(redone), [operation], () => [bytes])
    expect(compareDocuments(written, redone)).toEqual([])
  })

  it('refuses a log whose format is newer', () => {
    const { first } = createDocumentBytes({ timezone: 'UTC', locale: 'en-US' }, author)
    const operations = JSON.stringify(first.entry.operations)
    expect(operations).toContain('"format":2')
    const newer = JSON.parse(operations.replace('"format":2', '"format":3')) as Operation[]
    expect(() => redoEntry(writerOf(openBase(undefined)), newer, () => undefined)).toThrow(
      'the log has format 3, which is newer than 2',
    )
  })

  it('refuses an operation on a table that does not exist', () => {
    const [connection] = createFiles()
    const operation = { kind: 'remove_table', table: 'X', tableRef: 9, column: '', columnRef: 0 }
    expect(() =>
      redoEntry(writerOf(connection), [operation as Operation], () => undefined),
    ).toThrow('remove_table: there is no table with ref 9')
  })
})

describe('a comparison of documents', () => {
  it.each([
    ['UPDATE Table1 SET A = 1.0', 'column "A" of row 1 of table "Table1" differs'],
    ["UPDATE Table1 SET A = '1'", 'column "A" of row 1 of table "Table1" differs'],
    ['DELETE FROM Table1', 'row 1 of table "Table1" is on one side only'],
    ['DROP TABLE Table1', 'table "Table1" is missing on one side'],
    [
      'ALTER TABLE Table1 ADD COLUMN Z TEXT',
      'table "Table1": the declarations of column 6 differ (undefined, Z)',
    ],
    ["INSERT INTO _sheaf_refs VALUES ('table', 7)", 'row number 1 of table "_sheaf_refs"'],
  ])('finds %s', (sql, difference) => {
    const [a, b] = createFiles()
    for (const { db } of [a, b]) db.exec('INSERT INTO Table1 (id, manualSort, A) VALUES (1, 1, 1)')
    expect(compareDocuments(a, b)).toEqual([])
    b.db.exec(sql)
    expect(compareDocuments(a, b)[0]).toContain(difference)
  })

  it('covers every table and column of a file that is not named as local, with its reason', () => {
    const [connection] = createFiles()
    const columns = connection
      .raw<[string, string]>(
        `SELECT t.name, group_concat(c.name, ' ') FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND (t.name GLOB '_grist_*' OR t.name GLOB '_sheaf_*') GROUP BY 1`,
      )
      .all()
    const notLocal = columns.filter(([table]) => !Object.hasOwn(localState, table))
    expect(Object.fromEntries(notLocal)).toEqual(redone)
    const tables = columns.map(([table]) => table)
    // Created with the first automatic index.
    expect([...tables, '_sheaf_indexes']).toEqual(expect.arrayContaining(Object.keys(localState)))
    for (const [table, reason] of Object.entries(localState)) {
      const line = page.split('\n').find((text) => text.startsWith(`| \`${table}\` `))
      expect(line?.split('|')[2]?.trim()).toBe(reason)
    }
  })
})
