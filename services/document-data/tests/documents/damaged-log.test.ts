import Database from 'better-sqlite3'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { checkDocument } from '../../src/store/integrity/check-document'
import { readHistory } from '../../src/store/feed/history'
import { revertChange } from '../../src/store/revert/revert'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { DocumentStoreOptions } from '../../src/store/documents/document-store'
import { updateRecords } from '../../src/store/records/records'
import { options } from '../support/random-actions'
import { addColumns, author, createTable, openStore } from '../support/test-store'

const plan = { after: 0, limit: 100, fullRows: false, tableRefs: [], oldValues: true }
const damaged = { code: 'unavailable', reason: 'DOCUMENT_DAMAGED' }

describe('a damaged log', () => {
  /** Writes a document, changes its closed file by SQL, and runs a test on the document. */
  async function withChanged(
    sql: string,
    test: (store: DocumentStore, docId: string, path: string) => Promise<void>,
  ): Promise<void> {
    await using folder = await tempDir()
    const quiet: Partial<DocumentStoreOptions> = { workers: 0, onFileError: () => {} }
    let docId: string
    {
      await using store = await openStore(folder.path, quiet)
      docId = await createTable(store, 'Data', { A: 'Text' })
      await addColumns(store, docId, 'Data', new Map([['A', ['first', 'second']]]))
      await write(store, docId, 'third')
    }
    const path = `${folder.path}/${docId.slice(0, 2)}/${docId}/document.sqlite`
    const db = new Database(path)
    db.exec(sql)
    db.close()
    await using store = await openStore(folder.path, quiet)
    await test(store, docId, path)
  }

  const write = (store: DocumentStore, docId: string, text: string) =>
    store.transact(docId, author, (doc) =>
      updateRecords(doc, 'Data', { rowIds: [1], cells: new Map([['A', [text]]]) }, options),
    )

  /** Everything that reads the log, as promises. */
  const reads = (store: DocumentStore, docId: string) => [
    async () => await store.readChanges(docId, plan),
    async () => await store.readChanges(docId, { ...plan, after: 3, fullRows: true }),
    async () => await store.readChanges(docId, { ...plan, oldValues: false }),
    async () =>
      store.read(docId, ({ connection }) =>
        readHistory(connection, { tableRef: 2, rowId: undefined, before: 0, limit: 10 }),
      ),
    async () => await store.transact(docId, author, (doc) => revertChange(doc, 4)),
  ]

  it.each([
    [
      'a changed byte of a value',
      `UPDATE _sheaf_log SET operations = replace(operations, 'third', 'thurd')`,
    ],
    ['another author', 'UPDATE _sheaf_log SET user = 2 WHERE seq = 4'],
    [
      'values that are no JSON',
      `UPDATE _sheaf_log SET operations = 'x' || operations WHERE seq = 4`,
    ],
    ['tables that are no JSON', `UPDATE _sheaf_log SET tables = '[2' WHERE seq = 4`],
    [
      'values that are no JSON, in an entry of an older release',
      `UPDATE _sheaf_log SET operations = substr(operations, 2), checksum = NULL WHERE seq = 4`,
    ],
    [
      'tables that are no JSON, in an entry of an older release',
      `UPDATE _sheaf_log SET tables = '[2', operations = '', checksum = NULL WHERE seq = 4`,
    ],
  ])('is noticed where it is read, and by the doctor: %s', async (_, sql) => {
    await withChanged(sql, async (store, docId, path) => {
      for (const read of reads(store, docId)) await expect(read()).rejects.toMatchObject(damaged)
      // The rows are sound, and so are writes, also together with one that fails on the log.
      const [reverted, written] = await Promise.allSettled([
        store.transact(docId, author, (doc) => revertChange(doc, 4)),
        write(store, docId, 'fourth'),
      ])
      expect([reverted?.status, written?.status]).toEqual(['rejected', 'fulfilled'])
      expect(checkDocument(path, { full: false })).toEqual(['its log is damaged in the entries 4'])
    })
  })

  it('is not what a document of the previous form has: it is migrated, and its entries are read', async () => {
    const sql = `
      DROP TABLE _sheaf_due_cells;
      DROP TABLE _sheaf_due_writes;
      DROP TABLE _sheaf_orders;
      DROP TABLE _sheaf_formulas;
      DROP TABLE _sheaf_lookup_uses;
      DROP TABLE _sheaf_views;
      DROP INDEX _sheaf_log_keys;
      ALTER TABLE _sheaf_log DROP COLUMN key_id;
      ALTER TABLE _sheaf_log DROP COLUMN checksum;
      ALTER TABLE _sheaf_log DROP COLUMN lsn;
      ALTER TABLE _sheaf_replies DROP COLUMN lsn;
      ALTER TABLE _sheaf_state DROP COLUMN lsn;
      ALTER TABLE _sheaf_state DROP COLUMN time;
      ALTER TABLE _sheaf_state DROP COLUMN term;
      ALTER TABLE _sheaf_state DROP COLUMN origins;
      PRAGMA user_version = 4`
    await withChanged(sql, async (store, docId, path) => {
      expect(checkDocument(path, { full: false })).toEqual([])
      await write(store, docId, 'fourth')
      const { parts } = await store.readChanges(docId, plan)
      expect([...(parts as Iterable<{ seq: number }>)].map(({ seq }) => seq)).toEqual([
        1, 2, 3, 4, 5,
      ])
      expect(checkDocument(path, { full: false })).toEqual([])
    })
  })
})
