import Database from 'better-sqlite3'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { DocumentWriter } from '../../src/store/document'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { createDocumentBytes } from '../../src/store/documents/new-document'
import { redoEntry } from '../../src/store/redo/redo-entry'
import { restoreMoment } from '../../src/store/past/restore-moment'
import { revertChange } from '../../src/store/revert/revert'
import { VIEWS, VIEWS_REF } from '../../src/store/schema/metadata-tables'
import { readSchema } from '../../src/store/schema/schema'
import { Connection } from '../../src/store/sqlite/connections'
import { FIRST_FORMAT, migrate } from '../../src/store/sqlite/migrations/index'
import { removeColumn } from '../../src/store/structure/column-removal'
import { updateColumns } from '../../src/store/structure/column-updates'
import { removeTables } from '../../src/store/structure/table-removal'
import { updateTables } from '../../src/store/structure/table-updates'
import { emptyForm } from '../../src/store/views/view-form'
import { newView, type ViewChange } from '../../src/store/views/view-settings'
import {
  addViews,
  listViews,
  MAX_VIEWS,
  removeView,
  updateViews,
  type View,
} from '../../src/store/views/views'
import { differencesAfterRedo } from '../support/redo'
import { author, createTable, openStore } from '../support/test-store'

const json = (value: object) => Buffer.from(JSON.stringify(value))

describe('views of a table', () => {
  let folder: TempDir
  let store: DocumentStore
  let docId: string
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path)
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    docId = await createTable(store, 'Orders', { Status: 'Text', Due: 'Date', Total: 'Numeric' })
  })
  // Whatever a test does, the log makes it again.
  afterEach(() => expect(differencesAfterRedo(store, docId)).toEqual([]))

  const write = async <T>(change: (doc: DocumentWriter) => T) =>
    (await store.transact<{ value: T }>(docId, author, (doc) => ({ value: change(doc) }))).result
      .value
  const add = (...views: ViewChange[]) => write((doc) => addViews(doc, 'Orders', views))
  const list = (tableId = 'Orders') =>
    store.read<{ views: View[] }>(docId, (doc) => ({ views: listViews(doc, tableId) })).views
  const undo = () => write((doc) => revertChange(doc, doc.seq))
  const open: ViewChange = {
    name: 'Open',
    filter: json({ Status: ['open'], or: [{ Total: { gte: 5 } }, { Due: [null] }] }),
    sort: ['-Due', 'Status:naturalSort'],
    columns: [
      { id: 'Due', width: 90 },
      { id: 'Total', hidden: true },
    ],
  }

  it('have defaults, keep what is given, and are listed by position', async () => {
    const groups: ViewChange = {
      groupBy: ['-Status'],
      summaries: [{ id: 'Total', summary: 'sum' }],
    }
    const ids = await add({ name: 'First' }, { ...open, ...groups, position: 0.5, wrapText: true })
    expect(ids).toEqual([1, 2])
    expect(list()).toEqual([
      {
        id: 2,
        fields: {
          name: 'Open',
          type: 'grid',
          position: 0.5,
          description: '',
          filter: { Status: ['open'], or: [{ Total: { gte: 5 } }, { Due: [null] }] },
          sort: ['-Due', 'Status:naturalSort'],
          columns: [
            { id: 'Due', width: 90 },
            { id: 'Total', hidden: true },
          ],
          frozenColumns: 0,
          rowHeight: 'short',
          wrapText: true,
          groupBy: ['-Status'],
          summaries: [{ id: 'Total', summary: 'sum' }],
          form: emptyForm,
        },
      },
      {
        id: 1,
        fields: expect.objectContaining({ name: 'First', position: 1, filter: {}, sort: [] }),
      },
    ])
  })

  it('change only in the given fields, and not at all when one is refused', async () => {
    const [first = 0, second = 0] = await add(open, { name: 'Other' })
    await write((doc) =>
      updateViews(doc, 'Orders', [
        { id: first, change: { name: 'Other', frozenColumns: 2 } },
        { id: second, change: { name: 'Open' } },
      ]),
    )
    expect(list().map(({ fields }) => [fields.name, fields.frozenColumns, fields.sort])).toEqual([
      ['Other', 2, ['-Due', 'Status:naturalSort']],
      ['Open', 0, []],
    ])
    const before = list()
    const refused = write((doc) =>
      updateViews(doc, 'Orders', [
        { id: first, change: { description: 'lost' } },
        { id: second, change: { sort: ['Nope'] } },
      ]),
    )
    await expect(refused).rejects.toMatchObject({ code: 'invalid', reason: 'UNKNOWN_SORT_KEY' })
    expect(list()).toEqual(before)
  })

  it.each<[string, ViewChange, string]>([
    ['no name', {}, 'BAD_FIELD'],
    ['a blank name', { name: ' ' }, 'BAD_FIELD'],
    ['a long name', { name: 'x'.repeat(101) }, 'BAD_FIELD'],
    ['another kind', { name: 'n', type: 'sheet' }, 'BAD_FIELD'],
    ['four groups', { name: 'n', groupBy: ['Due', 'Total', 'Status', '-Due'] }, 'BAD_FIELD'],
    ['the same group twice', { name: 'n', groupBy: ['Due', '-Due'] }, 'BAD_FIELD'],
    ['groups by row id', { name: 'n', groupBy: ['id'] }, 'UNKNOWN_COLUMN'],
    ['groups of an unknown column', { name: 'n', groupBy: ['Nope'] }, 'UNKNOWN_SORT_KEY'],
    [
      'an unknown summary',
      { name: 'n', summaries: [{ id: 'Total', summary: 'product' }] },
      'BAD_FIELD',
    ],
    [
      'a summary of an unknown column',
      { name: 'n', summaries: [{ id: 'Nope', summary: 'sum' }] },
      'UNKNOWN_COLUMN',
    ],
    ['a position without end', { name: 'n', position: Infinity }, 'BAD_FIELD'],
    ['a long description', { name: 'n', description: 'x'.repeat(2001) }, 'BAD_FIELD'],
    ['a filter of an unknown column', { name: 'n', filter: json({ Nope: [1] }) }, 'UNKNOWN_COLUMN'],
    ['a filter of another form', { name: 'n', filter: json({ Total: 5 }) }, 'INVALID_FILTER'],
    [
      'a filter that is too long',
      { name: 'n', filter: json({ Status: ['x'.repeat(16_400)] }) },
      'BAD_FIELD',
    ],
    ['a filter that is no JSON', { name: 'n', filter: Buffer.from('{') }, 'MALFORMED_JSON'],
    [
      'too many sort keys',
      { name: 'n', sort: Array(51).fill('Due') as string[] },
      'TOO_MANY_SORT_KEYS',
    ],
    ['an unknown column', { name: 'n', columns: [{ id: 'Nope' }] }, 'UNKNOWN_COLUMN'],
    ['a hidden column', { name: 'n', columns: [{ id: 'manualSort' }] }, 'UNKNOWN_COLUMN'],
    ['a column twice', { name: 'n', columns: [{ id: 'Due' }, { id: 'Due' }] }, 'BAD_FIELD'],
    ['a narrow column', { name: 'n', columns: [{ id: 'Due', width: 19 }] }, 'BAD_FIELD'],
    ['part of a frozen column', { name: 'n', frozenColumns: 0.5 }, 'BAD_FIELD'],
    ['another height', { name: 'n', rowHeight: 'huge' }, 'BAD_FIELD'],
    ['a name in use', { name: 'OPEN' }, 'VIEW_NAME_TAKEN'],
  ])('are refused with %s', async (_, change, reason) => {
    await add(open)
    await expect(add(change)).rejects.toMatchObject({ reason })
    expect(list()).toHaveLength(1)
  })

  it('are at most 100', async () => {
    await add(...Array.from({ length: MAX_VIEWS }, (_, i) => ({ name: `v${i}` })))
    await expect(add({ name: 'more' })).rejects.toMatchObject({ reason: 'TOO_MANY_VIEWS' })
  })

  it('are found by their id in their table only, and no id is used twice', async () => {
    const [id = 0] = await add(open)
    await write((doc) => updateTables(doc, [{ id: 'Orders', change: { tableId: 'Sales' } }]))
    expect(list('Sales')).toHaveLength(1)
    for (const tableId of ['Table1', 'Sales']) {
      const unknown = tableId === 'Sales' ? 99 : id
      const notFound = { code: 'not_found', reason: 'VIEW_NOT_FOUND' }
      await expect(write((doc) => removeView(doc, tableId, unknown))).rejects.toMatchObject(
        notFound,
      )
      await expect(
        write((doc) => updateViews(doc, tableId, [{ id: unknown, change: {} }])),
      ).rejects.toMatchObject(notFound)
    }
    await write((doc) => removeView(doc, 'Sales', id))
    expect(list('Sales')).toEqual([])
    expect(await write((doc) => addViews(doc, 'Sales', [{ name: 'Open' }]))).toEqual([id + 1])
  })

  it('follow new names of columns; a removed column comes back with its undo', async () => {
    await add(open)
    await write((doc) =>
      updateColumns(doc, 'Orders', [{ id: 'Due', change: { colId: 'Deadline' } }]),
    )
    const [renamed] = list()
    expect(renamed?.fields).toMatchObject({
      filter: { Status: ['open'], or: [{ Total: { gte: 5 } }, { Deadline: [null] }] },
      sort: ['-Deadline', 'Status:naturalSort'],
      columns: [
        { id: 'Deadline', width: 90 },
        { id: 'Total', hidden: true },
      ],
    })
    await write((doc) => removeColumn(doc, 'Orders', 'Deadline'))
    expect(list()[0]?.fields).toMatchObject({
      filter: { Status: ['open'], or: [{ Total: { gte: 5 } }] },
      sort: ['Status:naturalSort'],
      columns: [{ id: 'Total', hidden: true }],
    })
    await undo()
    expect(list()).toEqual([renamed])
  })

  it('go with their table, and come back with it', async () => {
    await add(open, { name: 'Other' })
    const before = list()
    const { seq } = store.stateOf(docId)
    await write((doc) => removeTables(doc, [doc.schema.get('Orders').ref]))
    expect(
      store.read<object>(docId, ({ connection }) =>
        connection.raw('SELECT * FROM _sheaf_views').all(),
      ),
    ).toEqual([])
    await undo()
    expect(list()).toEqual(before)
    // Redoing the removal, and restoring only the table.
    await undo()
    await write((doc) => restoreMoment(doc, { seq, tableRef: 2 }))
    expect(list()).toEqual(before)
  })

  it('are undone and redone, unless they have changed since', async () => {
    const [id = 0] = await add(open)
    const added = store.stateOf(docId).seq
    await undo()
    expect(list()).toEqual([])
    await undo()
    expect(list()).toMatchObject([{ id, fields: { name: 'Open' } }])
    await write((doc) =>
      updateViews(doc, 'Orders', [{ id, change: { sort: ['Total'], wrapText: true } }]),
    )
    const changed = store.stateOf(docId).seq
    await expect(write((doc) => revertChange(doc, added))).rejects.toMatchObject({
      reason: 'CHANGED_SINCE',
    })
    await undo()
    expect(list()[0]?.fields).toMatchObject({
      sort: ['-Due', 'Status:naturalSort'],
      wrapText: false,
    })
    await expect(write((doc) => revertChange(doc, changed))).rejects.toMatchObject({
      code: 'conflict',
    })
    await write((doc) => removeView(doc, 'Orders', id))
    const removed = store.stateOf(docId).seq
    await add({ name: 'open' })
    await expect(write((doc) => revertChange(doc, removed))).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(list()).toMatchObject([{ id: id + 1 }])
  })

  it('go back to a former moment with the document, but not by themselves', async () => {
    const [id = 0] = await add(open)
    const before = list()
    const { seq } = store.stateOf(docId)
    await write((doc) => updateViews(doc, 'Orders', [{ id, change: { name: 'Changed' } }]))
    await write((doc) => removeView(doc, 'Orders', id))
    await add({ name: 'Later' })
    await write((doc) => restoreMoment(doc, { seq }))
    expect(list()).toEqual(before)
    await expect(write((doc) => restoreMoment(doc, { seq, tableRef: -2 }))).rejects.toMatchObject({
      reason: 'NOT_REVERTIBLE',
    })
  })
})

describe('a document in format 14', () => {
  it('has its views once it was migrated, with fields that its log does not have', () => {
    const { bytes } = createDocumentBytes({ timezone: 'UTC', locale: 'en-US' }, author, {
      format: 14,
    })
    bytes[18] = bytes[19] = 1
    const connection = new Connection(new Database(bytes))
    const writer = () => new DocumentWriter('', connection, readSchema(connection), 1)
    try {
      const fields = { ...newView, name: 'Old', tableRef: 1, position: 1 }
      const { groupBy: _, summaries: __, form: ___, ...former } = fields
      const columns = Object.entries(former).map(([id, value]) => ({
        ...{ id, ref: 0, type: 'Text' },
        new: [value],
      }))
      const head = { table: VIEWS, tableRef: VIEWS_REF, rowIds: [1] }
      redoEntry(writer(), [{ kind: 'add_rows', ...head, columns }], () => undefined)
      expect(listViews(writer(), 'Table1')).toEqual([])
      migrate(connection.db)
      connection.forget()
      const empty = { name: 'Old', groupBy: [], summaries: [], form: emptyForm }
      expect(listViews(writer(), 'Table1')).toMatchObject([{ id: 1, fields: empty }])
      removeView(writer(), 'Table1', 1)
      redoEntry(writer(), [{ kind: 'add_rows', ...head, columns }], () => undefined)
      expect(listViews(writer(), 'Table1')).toMatchObject([{ id: 1, fields: empty }])
    } finally {
      connection.db.close()
    }
  })
})

describe('a document in a format without views', () => {
  it('has none, refuses new ones, and is changed as before', () => {
    const { bytes } = createDocumentBytes({ timezone: 'UTC', locale: 'en-US' }, author, {
      format: FIRST_FORMAT,
    })
    bytes[18] = bytes[19] = 1
    const connection = new Connection(new Database(bytes))
    try {
      const doc = new DocumentWriter('', connection, readSchema(connection), 1)
      expect(listViews(doc, 'Table1')).toEqual([])
      expect(() => addViews(doc, 'Table1', [{ name: 'n' }])).toThrow(
        'until it is opened after all instances were upgraded',
      )
      expect(() => removeView(doc, 'Table1', 1)).toThrow('View not found')
      expect(() => doc.schema.getReadable('_sheaf_views')).toThrow('Table not found')
      removeTables(doc, [1])
      expect(doc.operations).toMatchObject([{ kind: 'remove_table' }])
    } finally {
      connection.close()
    }
  })
})
