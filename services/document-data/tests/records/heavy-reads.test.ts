import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addColumns as addColumnsTo } from '../../src/store/structure/columns'
import type { Cell } from '../../src/values/column-type'
import {
  addColumns,
  author,
  beginRead,
  buildWorkers,
  createTable,
  filterJson,
  openStore,
  readText,
  takeText,
} from '../support/test-store'

/** Enough for every kind of read to be heavy. */
const ROWS = 52_000

const values: readonly Cell[] = [
  null,
  '',
  '1',
  'a',
  'B',
  'ä',
  1,
  0,
  -2.5,
  true,
  false,
  '[1]',
  1e300,
]

/** Rows of which most cells differ and some are odd. */
function makeCells(rows: number): Map<string, Cell[]> {
  const pick = (i: number) => values[(i * 31) % values.length] ?? null
  const list = (make: (i: number) => Cell) => Array.from({ length: rows }, (_, i) => make(i))
  return new Map([
    ['T', list((i) => (i % 7 === 0 ? pick(i) : `t${(i * 7919) % 20_000}`))],
    ['N', list((i) => (i % 5 === 0 ? pick(i) : (i * 7919) % 30_000))],
    ['C', list((i) => ['x', 'y', 'z'][i % 3] ?? '')],
    ['A', list((i) => (i % 100 === 0 ? pick(i / 100) : i))],
  ])
}

const types = { T: 'Text', N: 'Numeric', C: 'Choice', A: 'Any' }

describe('heavy reads', () => {
  let folder: TempDir
  let plain: DocumentStore
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    folder = await tempDir()
    plain = await openStore(folder.path, { workers: 0 })
    docId = await createTable(plain, 'Big', types)
    await addColumns(plain, docId, 'Big', makeCells(ROWS))
  })
  afterAll(async () => {
    await plain[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  it('answer the same bytes with and without threads, and with and without indexes', async () => {
    await using threaded = await openStore(folder.path, { workers: 2 })
    await using indexed = await openStore(folder.path, {
      workers: 2,
      maxIndexes: 4,
      indexRules: { minRows: 1, minScans: 1 },
    })
    for (const columnId of ['T', 'N', 'A'])
      await eventually(async () => {
        await readText(indexed, docId, {
          tableId: 'Big',
          filterJson: filterJson({ [columnId]: ['sought'] }),
        })
        return readIndexNames(plain, docId).length > ['T', 'N', 'A'].indexOf(columnId)
      })
    const cell = fc.oneof(
      fc.constantFrom(...values),
      fc.nat(30_000),
      fc.nat(20_000).map((n) => `t${n}`),
    )
    const cells = fc.oneof(fc.array(cell, { maxLength: 3 }), fc.array(cell, { minLength: 60 }))
    const request = fc.record({
      filter: fc.dictionary(fc.constantFrom('T', 'N', 'A', 'C', 'id'), cells, { maxKeys: 2 }),
      sort: fc.uniqueArray(fc.constantFrom('T', '-N', 'A:naturalSort', 'C', '-id'), {
        maxLength: 2,
      }),
      limit: fc.constantFrom(0, 0, 3, 1200),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ filter, sort, limit }) => {
        const read = { tableId: 'Big', filterJson: filterJson(filter), sort, limit }
        const expected = await readText(plain, docId, read)
        const same = async (store: DocumentStore) =>
          (await readText(store, docId, read)) === expected
        expect([await same(threaded), await same(indexed)]).toEqual([true, true])
      }),
      { numRuns: 40 },
    )
    const whole = await readText(threaded, docId, { tableId: 'Big', hidden: true })
    expect(whole === (await readText(plain, docId, { tableId: 'Big', hidden: true }))).toBe(true)
    expect(JSON.parse(whole)).toHaveProperty('records.length', ROWS)
  })

  it('show the moment that they say, although rows and columns are written meanwhile', async () => {
    await using own = await tempDir()
    await using store = await openStore(own.path)
    const moving = await createTable(store, 'Moving', { N: 'Int' })
    const cells = new Map([['N', new Array<number>(11_000).fill(0)]])
    const first = await addColumns(store, moving, 'Moving', cells)
    // One step of the log each: a row more, and now and then a column instead.
    const columnAt = new Map<number, string>()
    let writing = true
    const writer = (async () => {
      for (let i = 0; writing; i++) {
        if (i % 10 !== 9) await addColumns(store, moving, 'Moving', new Map([['N', [1]]]))
        else {
          const id = `X${i}`
          const { seq } = await store.transact(moving, author, (doc) => {
            addColumnsTo(doc, 'Moving', [{ id, fields: { type: 'Int' } }])
          })
          columnAt.set(seq, id)
        }
      }
    })()
    const replies: { seq: number; text: string }[] = []
    for (let i = 0; i < 12; i++) {
      const { seq, chunks } = await beginRead(store, moving, { tableId: 'Moving', sort: ['N'] })
      replies.push({ seq, text: await takeText(chunks) })
    }
    writing = false
    await writer
    expect(replies.at(-1)?.seq).toBeGreaterThan(first)
    for (const { seq, text } of replies) {
      const { records } = JSON.parse(text) as { records: { fields: object }[] }
      const columns = [...columnAt].filter(([at]) => at <= seq).map(([, id]) => id)
      expect(records).toHaveLength(11_000 + seq - first - columns.length)
      expect(Object.keys(records[0]?.fields ?? {})).toEqual(['N', ...columns])
    }
  })

  it('end at once when the caller goes away, and the thread goes on with others', async () => {
    await using store = await openStore(folder.path, { workers: 1 })
    const left = new AbortController()
    const sort = ['T', 'N', 'A']
    const { chunks } = await beginRead(store, docId, { tableId: 'Big', sort }, left.signal)
    const taking = takeText(chunks)
    left.abort()
    await expect(taking).rejects.toMatchObject({ code: 'timeout', reason: 'CALL_ENDED' })
    await expect(
      (async () => beginRead(store, docId, { tableId: 'Big', sort }, left.signal))(),
    ).rejects.toMatchObject({ reason: 'CALL_ENDED' })
    expect(await readText(store, docId, { tableId: 'Big', limit: 51_000 })).toMatch(/\]\}$/)
  })

  it('hold nobody up when their reader pauses', async () => {
    await using store = await openStore(folder.path, { workers: 1 })
    const paused = await Promise.all(
      Array.from({ length: 8 }, () => beginRead(store, docId, { tableId: 'Big' })),
    )
    expect(await readText(store, docId, { tableId: 'Big', sort: ['N'] })).toMatch(/\]\}$/)
    const texts = await Promise.all(paused.map(({ chunks }) => takeText(chunks)))
    expect(new Set(texts).size).toBe(1)
  })

  it('answer unavailable when their thread dies, and the next one finds another thread', async () => {
    await using own = await tempDir()
    const program = join(own.path, 'dying.js')
    const real = join(__dirname, '../../dist/store/workers/worker-thread.js')
    await writeFile(
      program,
      `const { parentPort } = require('node:worker_threads')
       parentPort.on('message', (m) => { if (m.plan?.limit === 51001) process.exit(1) })
       require(${JSON.stringify(real)})`,
    )
    const crashes: unknown[] = []
    await using store = await openStore(folder.path, {
      workers: 1,
      workerProgram: program,
      onWorkerCrash: (error) => crashes.push(error),
    })
    const { chunks } = await beginRead(store, docId, { tableId: 'Big' })
    const dying = beginRead(store, docId, { tableId: 'Big', limit: 51_001 })
    await expect(dying).rejects.toMatchObject({ code: 'unavailable', reason: 'WORKER_FAILED' })
    await expect(takeText(chunks)).rejects.toMatchObject({ reason: 'WORKER_FAILED' })
    expect(crashes).toHaveLength(1)
    expect(await readText(store, docId, { tableId: 'Big' })).toMatch(/\]\}$/)
  })

  it('end when their document is removed', async () => {
    await using own = await tempDir()
    await using store = await openStore(own.path)
    const gone = await createTable(store, 'Big', types)
    await addColumns(store, gone, 'Big', makeCells(ROWS))
    const { chunks } = await beginRead(store, gone, { tableId: 'Big' })
    await store.lifeCycle.remove(gone)
    await expect(takeText(chunks)).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' })
  })

  it('are refused when too many of a document run at once', async () => {
    await using store = await openStore(folder.path)
    const begun = await Promise.all(
      Array.from({ length: 16 }, () => beginRead(store, docId, { tableId: 'Big' })),
    )
    await expect(beginRead(store, docId, { tableId: 'Big' })).rejects.toMatchObject({
      code: 'too_many',
    })
    await Promise.all(begun.map(({ chunks }) => takeText(chunks)))
    expect(await readText(store, docId, { tableId: 'Big' })).toMatch(/\]\}$/)
  })

  it('say that a document is not there', async () => {
    await using store = await openStore(folder.path)
    await expect(
      (async () => readText(store, randomUUID(), { tableId: 'Big' }))(),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})

function readIndexNames(store: DocumentStore, docId: string): string[] {
  return store.read(
    docId,
    ({ connection }) =>
      connection
        .pluck(
          "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE '\\_sheaf\\_auto%' ESCAPE '\\'",
        )
        .all() as string[],
  )
}

describe('few rows of long cells', () => {
  it.each([{}, { limit: 900 }, { sort: ['-T'] }, { filterJson: filterJson({ N: [1] }) }])(
    'are not held in memory as a whole while they are read: %j',
    async (request) => {
      await using folder = await tempDir()
      await using store = await openStore(folder.path)
      const docId = await createTable(store, 'Wide', { T: 'Text', N: 'Numeric' })
      const cells = Array.from({ length: 1000 }, (_, i) => `${i} ${'x'.repeat(10_000)}`)
      await addColumns(
        store,
        docId,
        'Wide',
        new Map<string, Cell[]>([
          ['T', cells],
          ['N', cells.map(() => 1)],
        ]),
      )
      const { chunks } = await beginRead(store, docId, { tableId: 'Wide', ...request })
      const lengths: number[] = []
      const all: Buffer[] = []
      for await (const chunk of chunks) {
        lengths.push(chunk.length)
        all.push(chunk)
      }
      expect(Math.max(...lengths)).toBeLessThan(1024 * 1024)
      const { records } = JSON.parse(Buffer.concat(all).toString()) as {
        records: { fields: { T: string } }[]
      }
      const texts = records.map(({ fields }) => fields.T)
      expect(texts.sort()).toEqual(cells.slice(0, request.limit).sort())
    },
  )
})
