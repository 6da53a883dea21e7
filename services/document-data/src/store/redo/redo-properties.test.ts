import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import type { Change } from '../../../tests/support/random-changes'
import { randomWrites } from '../../../tests/support/random-writes'
import {
  AppendedRecords,
  differencesAfterRedo,
  redoRuns,
  takeBase,
  type Base,
} from '../../../tests/support/redo'
import { author, createTable, openStore, writeOrRefuse } from '../../../tests/support/test-store'
import { updateUsed } from '../attachments/attachment-removal'
import type { DocumentWriter } from '../document'
import type { DocumentStore } from '../documents/document-store'

const unending = new AbortController().signal

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

  const write = (docId: string, change: Change) => writeOrRefuse(store, docId, change)

  /** What belongs to the log beside changes, in some places of a sequence: replies, publish marks, unused attachments. */
  async function writeBeside(docId: string, n: number): Promise<void> {
    const reply = (doc: DocumentWriter) => {
      const of = { userId: n % 3, key: `key ${n % 5}`, digest: Buffer.alloc(32, n) }
      doc.reply = { ...of, seq: doc.nextSeq, bytes: Buffer.from(`reply ${n}`) }
    }
    const { seq } = store.stateOf(docId)
    if (n % 3 === 0) await write(docId, reply)
    if (n % 3 === 1) store.publishing.confirmPublished(docId, seq)
    if (n % 6 === 1) await store.publishing.settle(docId)
    if (n % 3 === 2) await updateUsed(store, { docId, author, signal: unending })
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
      await fc.assert(fc.asyncProperty(randomWrites(10), fc.nat(), run), redoRuns)
      // A soak may end by its time before all sequences have run.
      expect(entries / sequencesRun).toBeGreaterThan(5)
    },
    redoRuns.timeoutMs,
  )
})
