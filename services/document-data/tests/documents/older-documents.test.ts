import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { tempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import { writeRestored } from '../../src/store/documents/restored-file'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { LoggedDocument, Operation } from '../../src/store/log/log'
import { updateRecords } from '../../src/store/records/records'
import { replayDocument } from '../../src/store/redo/replay-document'
import { revertChange } from '../../src/store/revert/revert'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns, author, createTable, openStore, readText } from '../support/test-store'

/** Gives a file the form of the releases before redo: no positions, no checksums, no hints in the log. */
function makeOld(path: string): void {
  const db = new Database(path)
  db.exec(`
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
    PRAGMA user_version = 4`)
  const entries = db
    .prepare<[], { seq: number; operations: string }>('SELECT seq, operations FROM _sheaf_log')
    .all()
  const update = db.prepare('UPDATE _sheaf_log SET operations = ? WHERE seq = ?')
  for (const { seq, operations } of entries) {
    const old = (JSON.parse(operations) as (Operation & { redo?: { document?: LoggedDocument } })[])
      // A new document of such a release began with an entry without operations.
      .filter(({ redo }) => redo?.document === undefined)
      .map(({ redo: _, ...operation }) => operation)
    update.run(JSON.stringify(old), seq)
  }
  db.close()
}

const cells = (store: DocumentStore, docId: string) => readText(store, docId, { tableId: 'Data' })

describe('a document of a release before redo', () => {
  it('opens, migrates, is written and undone, and has a base of its own once it was restored', async () => {
    await using folder = await tempDir()
    const pathOf = (docId: string) => `${folder.path}/${docId.slice(0, 2)}/${docId}/document.sqlite`
    let docId: string
    {
      await using store = await openStore(folder.path, { workers: 0 })
      docId = await createTable(store, 'Data', { A: 'Text', B: 'Int' })
      await addColumns(
        store,
        docId,
        'Data',
        new Map([
          ['A', ['7', 'x']],
          ['B', [1, 2]],
        ]),
      )
      await store.transact(docId, author, (doc) =>
        updateColumns(doc, 'Data', [
          { id: 'A', change: { colId: 'B', type: 'Int' } },
          { id: 'B', change: { colId: 'A' } },
        ]),
      )
    }
    makeOld(pathOf(docId))
    expect(await replayDocument(dirname(pathOf(docId)))).toMatchObject({
      entries: 0,
      skipped: 'it has not been opened by this release',
    })

    await using store = await openStore(folder.path, { workers: 0 })
    const before = await cells(store, docId)
    const write = (of: string) =>
      store.transact(of, author, (doc) =>
        updateRecords(
          doc,
          'Data',
          { rowIds: [2], cells: new Map([['A', [5]]]) },
          { noParse: false },
        ),
      )
    await write(docId)
    const positions = store.read<number[]>(docId, ({ connection }) =>
      connection.pluck<number>('SELECT coalesce(lsn, seq) FROM _sheaf_log ORDER BY seq').all(),
    )
    // The migration took the position behind those of the older entries, which are their numbers.
    expect(positions).toEqual([1, 2, 3, 4, 6])
    await store.transact(docId, author, (doc) => revertChange(doc, 5))
    expect(await cells(store, docId)).toBe(before)
    expect(await replayDocument(dirname(pathOf(docId)))).toMatchObject({
      entries: 0,
      skipped: 'it has no base: it comes from an earlier release',
    })

    const restored = randomUUID()
    const bytes = store.read<Buffer>(docId, ({ connection }) => connection.db.serialize())
    await store.lifeCycle.createFrom(restored, async (path) => {
      await writeRestored(path, Readable.from([bytes]))
      return undefined
    })
    await write(restored)
    // Of an entry from before the base, with ids that were exchanged.
    await store.transact(restored, author, (doc) => revertChange(doc, 4))
    expect(JSON.parse(await cells(store, restored))).toMatchObject({
      records: [{ fields: { A: '7', B: 1 } }, { fields: { A: 'x', B: 5 } }],
    })
    expect(await replayDocument(dirname(pathOf(restored)))).toEqual({ entries: 2, differences: [] })
  })
})
