import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { columnConditions } from '../../src/query/filter'
import { quoteId } from '../../src/quoting/quote'
import { addColumns as addColumnsTo } from '../../src/store/structure/columns'
import type { DocumentStore, DocumentStoreOptions } from '../../src/store/documents/document-store'
import type { Cell } from '../../src/values/column-type'
import {
  addColumns,
  author,
  buildWorkers,
  createTable,
  filterJson,
  openStore,
  readText,
} from '../support/test-store'

const ROWS = 25_000
const tableId = 'Big'

/** Rules by which three filters on any table above the smallest make an index. */
const rules = { minRows: 2_000, minScans: 3 }

describe('automatic indexes', () => {
  let folder: TempDir
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    docId = await createTable(store, tableId, { T: 'Text', N: 'Numeric', C: 'Choice', A: 'Any' })
    const list = (make: (i: number) => Cell) => Array.from({ length: ROWS }, (_, i) => make(i))
    await addColumns(
      store,
      docId,
      tableId,
      new Map([
        ['T', list((i) => `t${i % 20_000}`)],
        ['N', list((i) => (i % 1000 === 0 ? 'text' : i % 20_000))],
        ['C', list((i) => (i % 2 === 0 ? 'x' : 'y'))],
        ['A', list((i) => (i % 3 === 0 ? true : `a${i}`))],
      ]),
    )
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  /** A store on a copy of the document, so that each test finds it without indexes. */
  const openCopy = async (own: TempDir, options: Partial<DocumentStoreOptions> = {}) => {
    const place = join('documents', docId.slice(0, 2), docId)
    const from = join(folder.path, place.replace('documents/', ''))
    const to = join(own.path, place.replace('documents/', ''))
    await mkdir(to, { recursive: true })
    await copyFile(join(from, 'document.sqlite'), join(to, 'document.sqlite'))
    return openStore(own.path, { maxIndexes: 2, indexRules: rules, ...options })
  }
  const filter = (store: DocumentStore, wanted: Record<string, unknown[]>) =>
    readText(store, docId, { tableId, filterJson: filterJson(wanted) })
  const filterUntil = (store: DocumentStore, wanted: Record<string, unknown[]>, names: string[]) =>
    eventually(async () => {
      await filter(store, wanted)
      expect(listIndexes(store, docId)).toEqual(names)
    })

  it('are made where filters were slow, at most so many, and are there after a restart', async () => {
    await using own = await tempDir()
    {
      await using store = await openCopy(own)
      const before = await filter(store, { T: ['t7'] })
      expect(JSON.parse(before)).toHaveProperty('records.length', 2)
      await filter(store, { T: ['t8'] })
      expect(listIndexes(store, docId)).toEqual([])
      await filterUntil(store, { T: ['t9'] }, ['T'])
      expect(await filter(store, { T: ['t7'] })).toBe(before)
      await filterUntil(store, { N: [7] }, ['T', 'N'])
      for (let i = 0; i < 10; i++) await filter(store, { A: [`a${i}`] })
      expect(listIndexes(store, docId)).toEqual(['T', 'N'])
    }
    await using again = await openStore(own.path, { maxIndexes: 2, indexRules: rules })
    expect(listIndexes(again, docId)).toEqual(['T', 'N'])
    expect(JSON.parse(await filter(again, { T: ['t7'], N: [7] }))).toHaveProperty(
      'records.length',
      2,
    )
  })

  it('make room for another when no filter used them for a while', async () => {
    await using own = await tempDir()
    await using store = await openCopy(own)
    await filterUntil(store, { T: ['t9'] }, ['T'])
    await filterUntil(store, { N: [9] }, ['T', 'N'])
    const seen = new Set<string>()
    await eventually(async () => {
      await filter(store, { T: ['t7'] })
      await filter(store, { A: ['a7'] })
      const names = listIndexes(store, docId)
      seen.add(names.join())
      expect(names).toEqual(['T', 'A'])
    })
    // Never more than the budget, and the one in use stayed.
    expect([...seen]).toEqual(['T,N', 'T', 'T,A'].filter((names) => seen.has(names)))
  })

  it('serve every form that the condition of a filter has', async () => {
    await using own = await tempDir()
    await using store = await openCopy(own)
    await filterUntil(store, { T: ['t9'] }, ['T'])
    await filterUntil(store, { N: [9] }, ['T', 'N'])
    const many = Array.from({ length: 80 }, (_, i) => i)
    const wanted: Record<string, Cell[][]> = {
      T: [['t1'], ['t1', 't2'], [null, 't1'], many.map((i) => `t${i}`), [null]],
      N: [[1], [1.5, 2], ['text'], [null, 1], many, [true]],
    }
    for (const [column, lists] of Object.entries(wanted))
      for (const list of lists) {
        const plan = store.read(docId, ({ connection, schema }) => {
          const table = schema.get(tableId)
          const filtered = columnConditions(table, new Map([[column, list]]), '')
          const { sql, params } = filtered.get(column) ?? { sql: '', params: [] }
          return connection
            .prepare(
              `EXPLAIN QUERY PLAN SELECT id FROM ${quoteId(tableId)} WHERE ${sql} LIMIT 5001`,
            )
            .all(...params) as { detail: string }[]
        })
        const details = plan.map(({ detail }) => detail).join('; ')
        expect(details).toMatch(/USING COVERING INDEX _sheaf_auto_|USING INDEX _sheaf_auto_/)
        expect(details).not.toMatch(/SCAN Big/)
      }
  })

  it('are not made for values that too many rows have', async () => {
    await using own = await tempDir()
    await using store = await openCopy(own)
    for (let i = 0; i < 10; i++) await filter(store, { C: ['x'] })
    expect(listIndexes(store, docId)).toEqual([])
  })

  it('keep every write that comes while one is built', async () => {
    await using own = await tempDir()
    await using store = await openCopy(own)
    let built = false
    const seqs: number[] = []
    const writer = (async () => {
      while (!built)
        seqs.push(await addColumns(store, docId, tableId, new Map([['T', [`new${seqs.length}`]]])))
    })()
    await filterUntil(store, { T: ['t9'] }, ['T'])
    built = true
    await writer
    expect(seqs).toEqual(seqs.map((_, i) => (seqs[0] ?? 0) + i))
    for (const i of [0, seqs.length - 1])
      expect(JSON.parse(await filter(store, { T: [`new${i}`] }))).toHaveProperty(
        'records.length',
        1,
      )
    const [check] = store.read(
      docId,
      ({ connection }) => connection.pluck('PRAGMA integrity_check').all() as string[],
    )
    expect(check).toBe('ok')
  })

  it('hold back writes while one is built, whose connection would refuse them', async () => {
    await using own = await tempDir()
    const [locked, released] = [join(own.path, 'locked'), join(own.path, 'released')]
    const program = join(own.path, 'slow.js')
    // Holds the lock of the file from the message that builds an index until it is told to go on.
    await writeFile(
      program,
      `const { existsSync, writeFileSync } = require('node:fs')
       const { parentPort } = require('node:worker_threads')
       parentPort.on('message', ({ kind, path, statements = [] }) => {
         if (kind !== 'run' || !statements.some((sql) => sql.startsWith('CREATE INDEX'))) return
         const db = require(${JSON.stringify(require.resolve('better-sqlite3'))})(path)
         db.exec('BEGIN IMMEDIATE')
         writeFileSync(${JSON.stringify(locked)}, '')
         const turn = new Int32Array(new SharedArrayBuffer(4))
         while (!existsSync(${JSON.stringify(released)})) Atomics.wait(turn, 0, 0, 5)
         db.close()
       })
       require(${JSON.stringify(join(__dirname, '../../dist/store/workers/worker-thread.js'))})`,
    )
    await using store = await openCopy(own, { workers: 1, workerProgram: program })
    await eventually(async () => {
      await filter(store, { T: ['t9'] })
      return existsSync(locked)
    })
    const write = addColumns(store, docId, tableId, new Map([['T', ['new']]]))
    const early = await Promise.race([write.catch(() => 'refused'), turns(5)])
    await writeFile(released, '')
    expect(early).toBe('waits')
    await write
    await filterUntil(store, { T: ['new'] }, ['T'])
    expect(JSON.parse(await filter(store, { T: ['new'] }))).toHaveProperty('records.length', 1)
  })

  it('go when writes cost more than they save', async () => {
    await using own = await tempDir()
    await using store = await openCopy(own)
    await filterUntil(store, { T: ['t9'] }, ['T'])
    const cells = new Map([['T', new Array<string>(2_500).fill('bulk')]])
    await eventually(async () => {
      await addColumns(store, docId, tableId, cells)
      expect(listIndexes(store, docId)).toEqual([])
    })
    expect(JSON.parse(await filter(store, { T: ['t7'] }))).toHaveProperty('records.length', 2)
  })

  it('go when no filter used them for long', async () => {
    await using own = await tempDir()
    const unused = { ...rules, unusedMs: -1 }
    {
      await using store = await openCopy(own)
      await filterUntil(store, { T: ['t9'] }, ['T'])
    }
    await using store = await openStore(own.path, {
      maxIndexes: 2,
      indexRules: unused,
      idleMs: 4000,
    })
    await eventually(() => expect(listIndexes(store, docId)).toEqual([]))
  })

  it('are in nobody’s way when columns come and change', async () => {
    await using own = await tempDir()
    await using store = await openCopy(own)
    await filterUntil(store, { T: ['t9'] }, ['T'])
    await store.transact(docId, author, (doc) => {
      addColumnsTo(doc, tableId, [{ id: 'New', fields: { type: 'Text' } }])
    })
    expect(listIndexes(store, docId)).toEqual(['T'])
    await addColumns(store, docId, tableId, new Map([['New', ['n']]]))
    expect(JSON.parse(await filter(store, { New: ['n'] }))).toHaveProperty('records.length', 1)
    const tables = await readText(store, docId, { tableId: '_grist_Tables' })
    expect(tables).not.toContain('_sheaf_')
  })
})

/** Resolves after turns of the event loop, in which a write that need not wait is run. */
async function turns(count: number): Promise<'waits'> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
  return 'waits'
}

/** The columns that have an automatic index, as other connections see it, in the order of their refs. */
function listIndexes(store: DocumentStore, docId: string): string[] {
  return store.read(docId, ({ connection, schema }) => {
    const names = connection
      .pluck("SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB '_sheaf_auto_*'")
      .all() as string[]
    const columns = schema.get(tableId).columns
    return columns
      .filter(({ ref }) => names.some((name) => name.endsWith(`_${ref}`)))
      .map(({ id }) => id)
  })
}
