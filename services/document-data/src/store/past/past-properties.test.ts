import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import type { Change } from '../../../tests/support/random-changes'
import { randomWrites } from '../../../tests/support/random-writes'
import {
  differencesAfterRedo,
  openBase,
  redoRuns,
  takeBase,
  type Base,
} from '../../../tests/support/redo'
import { author, createTable, openStore, writeOrRefuse } from '../../../tests/support/test-store'
import { quoteId } from '../../quoting/quote'
import type { DocumentStore } from '../documents/document-store'
import { readSchema } from '../schema/schema'
import type { Connection } from '../sqlite/connections'
import { revertChange } from '../revert/revert'
import { restoreMoment } from './restore-moment'
import { undoEntries } from './past-file'

/** What a document shows: its tables with their columns and their cells. */
function tablesOf(connection: Connection): unknown {
  connection.forget()
  return readSchema(connection).tables.map(
    ({ columns, byId: _, manualSortTop: _top, ...table }) => {
      const sorted = [...columns].sort((a, b) => a.ref - b.ref)
      const names = ['id', ...sorted.map(({ id }) => id)].map(quoteId).join(', ')
      const rows = connection.raw(`SELECT ${names} FROM ${quoteId(table.tableId)} ORDER BY id`)
      const shown = sorted.map(({ type, ...column }) => ({ ...column, type: type.name }))
      return { ...table, columns: shown, rows: rows.all() }
    },
  )
}

/** The same with its attachments and its log. */
function contentsOf(connection: Connection): unknown {
  const attachments = connection.raw('SELECT * FROM _grist_Attachments ORDER BY id').all()
  const log = connection.raw('SELECT * FROM _sheaf_log').all()
  return { tables: tablesOf(connection), attachments, log }
}

describe('a document that is taken back, or restored, over a random sequence of writes', () => {
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

  const write = (docId: string, change: Change) => writeOrRefuse(store, docId, change)

  const tablesNow = (docId: string) =>
    store.read<object>(docId, ({ connection }) => ({ tables: tablesOf(connection) }))

  /** Restores the moment of a copy, compares, and undoes that. */
  async function restore(docId: string, kept: Base): Promise<void> {
    const before = tablesNow(docId)
    const latest = store.stateOf(docId).seq
    await store.transact(docId, author, (doc) => restoreMoment(doc, { seq: kept.seq }))
    const copy = openBase(kept)
    try {
      expect(tablesNow(docId)).toEqual({ tables: tablesOf(copy) })
    } finally {
      copy.close()
    }
    expect(differencesAfterRedo(store, docId)).toEqual([])
    const { seq } = store.stateOf(docId)
    if (seq > latest) await store.transact(docId, author, (doc) => revertChange(doc, seq))
    expect(tablesNow(docId)).toEqual(before)
  }

  it(
    'shows what a copy shows that was taken at that moment',
    async () => {
      let undone = 0
      const run = async (list: readonly Change[], moment: number) => {
        const docId = await createTable(store, 'People', { Name: 'Text', Friend: 'Ref:People' })
        let kept: Base | undefined
        for (const [i, change] of list.entries()) {
          if (i === moment % list.length) kept = takeBase(store, docId)
          await write(docId, change)
        }
        if (!kept) return
        const now = takeBase(store, docId)
        undone += now.seq - kept.seq
        const [past, copy] = [openBase(now), openBase(kept)]
        try {
          undoEntries(past, kept.seq)
          expect(contentsOf(past)).toEqual(contentsOf(copy))
        } finally {
          past.close()
          copy.close()
        }
        await restore(docId, kept)
        await store.lifeCycle.remove(docId)
      }
      await fc.assert(fc.asyncProperty(randomWrites(10), fc.nat(), run), {
        ...redoRuns,
        endOnFailure: true,
      })
      expect(undone).toBeGreaterThan(100)
    },
    redoRuns.timeoutMs,
  )
})
