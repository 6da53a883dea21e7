import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { openBase, takeBase } from '../../../tests/support/redo'
import { addColumns, author, createTable, openStore } from '../../../tests/support/test-store'
import type { DocumentWriter } from '../document'
import type { DocumentStore } from '../documents/document-store'
import type { Connection } from '../sqlite/connections'
import { updateRecords } from '../records/records'
import { revertChange } from '../revert/revert'
import { removeTables } from '../structure/table-removal'
import { addViews } from '../views/views'
import { differences } from './compare-parts'
import type { NamedRowLimits } from './named-rows'

describe('the rows that a comparison reads', () => {
  let folder: TempDir
  let store: DocumentStore
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path)
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  /** Two moments with row 2 changed between them in the log, and row 5 without the log. */
  async function makeMoments(): Promise<{ before: Connection; after: Connection }> {
    const docId = await createTable(store, 'People', { Name: 'Text' })
    await addColumns(store, docId, 'People', new Map([['Name', ['a', 'b', 'c', 'd', 'e']]]))
    const before = openBase(takeBase(store, docId))
    await store.transact(docId, author, (doc) => {
      updateRecords(
        doc,
        'People',
        { rowIds: [2], cells: new Map([['Name', ['x']]]) },
        { noParse: false },
      )
    })
    const after = openBase(takeBase(store, docId))
    after.prepare('UPDATE "People" SET "Name" = \'y\' WHERE id = 5').run()
    return { before, after }
  }

  function changedRows(moments: { before: Connection; after: Connection }, limits: NamedRowLimits) {
    const all = { tableRef: undefined, position: undefined, maxRows: undefined }
    const found = [...differences(moments, all, limits)].flatMap((operations) => operations ?? [])
    return found.flatMap((operation) => ('rowIds' in operation ? operation.rowIds : []))
  }

  it('are those that the log between the moments names', async () => {
    expect(changedRows(await makeMoments(), {})).toEqual([2])
  })

  it('are all when the log names too many, is too large, or does not have all entries', async () => {
    const moments = await makeMoments()
    expect(changedRows(moments, { maxNamedRows: 0 })).toEqual([2, 5])
    expect(changedRows(moments, { maxLogBytes: 10 })).toEqual([2, 5])
    moments.after
      .prepare('DELETE FROM _sheaf_log WHERE seq = (SELECT max(seq) - 1 FROM _sheaf_log)')
      .run()
    moments.before.prepare('DELETE FROM _sheaf_log WHERE seq > 1').run()
    expect(changedRows(moments, {})).toEqual([2, 5])
  })

  it('include the views of a table whose removal was undone', async () => {
    const docId = await createTable(store, 'People', { Name: 'Text' })
    const write = (change: (doc: DocumentWriter) => unknown) =>
      store.transact(docId, author, (doc) => {
        change(doc)
      })
    await write((doc) => addViews(doc, 'People', [{ name: 'All' }]))
    await write((doc) => removeTables(doc, [doc.schema.get('People').ref]))
    const before = openBase(takeBase(store, docId))
    await write((doc) => revertChange(doc, doc.seq))
    const after = openBase(takeBase(store, docId))
    expect(changedRows({ before, after }, {})).toEqual([1])
    expect(changedRows({ before: after, after: before }, {})).toEqual([1])
  })
})
