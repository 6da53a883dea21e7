import { statSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import {
  addColumns,
  beginRead,
  buildWorkers,
  createTable,
  openStore,
  takeText,
} from '../support/test-store'

const MB = 1024 * 1024
/** Rows of a table whose reads are heavy when they are sorted. */
const ROWS = 12_000
const ROUNDS = 14
/** Time between two rounds at least, so that the age of a reader is that of a few rounds at most. */
const ROUND_MS = 250

describe('the age of a snapshot', () => {
  beforeAll(() => buildWorkers())

  for (const workers of [0, 2])
    it(`is bounded, and with it the write-ahead log, while readers pause (${workers} threads)`, async () => {
      await using folder = await tempDir()
      await using store = await openStore(folder.path, {
        workers,
        maxReadMs: 1000,
        maxWalBytes: 20 * MB,
      })
      const docId = await createTable(store, 'T', { A: 'Text' })
      const wal = join(folder.path, docId.slice(0, 2), docId, 'document.sqlite-wal')
      const walSize = () => statSync(wal).size
      const text = 'x'.repeat(1000)
      const add = (count: number) =>
        addColumns(store, docId, 'T', new Map([['A', new Array<string>(count).fill(text)]]))
      await add(ROWS)

      let end = () => {}
      const over = new Promise<void>((resolve) => (end = resolve))
      /** A reader that takes one chunk, and the rest only when all is over. */
      const pause = async () => {
        const { chunks } = await beginRead(store, docId, { tableId: 'T', sort: ['A'] })
        const iterator = (chunks as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
        await iterator.next()
        await over
        await takeText({ [Symbol.asyncIterator]: () => iterator })
      }
      // There is always a reader that pauses: by themselves they would never let the log begin anew.
      const outcomes: Promise<unknown>[] = []
      let largest = 0
      for (let round = 0; round < ROUNDS; round++) {
        const until = Date.now() + ROUND_MS
        outcomes.push(
          pause().then(
            () => 'whole',
            (error: unknown) => (error as { reason: unknown }).reason,
          ),
        )
        await add(4000)
        largest = Math.max(largest, walSize())
        await eventually(() => Date.now() >= until)
      }
      end()
      const reasons = await Promise.all(outcomes)
      expect(reasons.slice(0, 4)).toEqual(new Array(4).fill('READ_TOO_SLOW'))
      // Each round writes some 8 MB: all of them together are much more than what the log ever held.
      expect(largest).toBeGreaterThan(20 * MB)
      expect(largest).toBeLessThan(90 * MB)
      await add(1)
      expect(walSize()).toBeLessThanOrEqual(33 * MB)
    })

  it('held up a read in another process, which others waited for, while the log was to begin anew', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { maxReadMs: 20_000, maxWalBytes: MB })
    const docId = await createTable(store, 'T', { A: 'Text' })
    const text = new Array<string>(ROWS).fill('x'.repeat(1000))
    await addColumns(store, docId, 'T', new Map([['A', text]]))
    const { chunks } = await beginRead(store, docId, { tableId: 'T', sort: ['A'] })
    const reader = (chunks as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
    await reader.next()
    const refused = { code: 'unavailable', reason: 'DOCUMENT_BUSY' }
    await eventually(async () => {
      await addColumns(store, docId, 'T', new Map([['A', ['more']]]))
      await expect(store.readOutside(docId, () => Promise.resolve(1))).rejects.toMatchObject(
        refused,
      )
    })
    await reader.return?.()
    await eventually(async () =>
      expect(await store.readOutside(docId, () => Promise.resolve(1))).toBe(1),
    )
  })
})
