import { statSync } from 'node:fs'
import { AppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { AppendedGroup } from '../../src/store/documents/replicator'
import type { WriteStages } from '../../src/store/documents/shared-resources'
import { readEntries } from '../../src/store/log/log'
import type { LogRecord } from '../../src/store/log/record-writer'
import { addRecords } from '../../src/store/records/records'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { AppendedRecords, takeBase } from '../support/redo'
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

const STAGES = ['derive', 'append'] as const

/** A stage that waits while it is on. */
class Gate {
  isOn = false
  private release: (() => void) | undefined
  private readonly stage: (typeof STAGES)[number]

  constructor(stage: (typeof STAGES)[number]) {
    this.stage = stage
  }

  get stages(): WriteStages {
    const wait = () =>
      this.isOn ? new Promise<void>((resolve) => (this.release = resolve)) : undefined
    return { [this.stage]: wait }
  }

  /** Resolves when a group waits. */
  async reached(): Promise<void> {
    await eventually(() => this.release !== undefined)
  }

  open(): void {
    this.isOn = false
    this.release?.()
    this.release = undefined
  }
}

describe.each(STAGES)('a document whose group waits in %s', (stage) => {
  const use = async (
    work: (store: DocumentStore, docId: string, gate: Gate) => Promise<void>,
    workers = 1,
  ): Promise<void> => {
    await using folder = await tempDir()
    const gate = new Gate(stage)
    await using store = await openStore(folder.path, {
      stages: gate.stages,
      workers,
      maxOpen: 1,
      idleMs: 100,
      maxIndexes: 2,
      indexRules: { minRows: 2_000 },
      maxWalBytes: 1,
    })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await work(store, docId, gate)
    gate.open()
  }
  const write = (store: DocumentStore, docId: string, value: string) =>
    addColumns(store, docId, 'T', new Map([['A', [value]]]))
  const read = (store: DocumentStore, docId: string) => readText(store, docId, { tableId: 'T' })

  beforeAll(buildWorkers)

  it('shows readers, its tag and its feed nothing of the write', () =>
    use(async (store, docId, gate) => {
      const before = { state: store.stateOf(docId), text: await read(store, docId) }
      gate.isOn = true
      const written = write(store, docId, 'a')
      await gate.reached()
      expect({ state: store.stateOf(docId), text: await read(store, docId) }).toEqual(before)
      const seqs = store.read(docId, ({ connection }) =>
        readEntries(connection, { after: 0, upTo: 100, maxBytes: 0 }).map(({ seq }) => seq),
      )
      expect(seqs.at(-1)).toBe(before.state.seq)
      gate.open()
      expect(await written).toBe(before.state.seq + 1)
      expect(await read(store, docId)).toContain('"a"')
    }))

  it('stays open when its slot is needed, and delays no other document', () =>
    use(async (store, docId, gate) => {
      gate.isOn = true
      const written = write(store, docId, 'a')
      await gate.reached()
      gate.isOn = false
      const other = await createTable(store, 'T', { A: 'Text' })
      await write(store, other, 'b')
      expect(store.openCount).toBe(2)
      gate.open()
      await written
      expect(await read(store, docId)).toContain('"a"')
    }))

  it('is deleted at once, and the writer learns of it', () =>
    use(async (store, docId, gate) => {
      gate.isOn = true
      const written = write(store, docId, 'a')
      await gate.reached()
      const waiting = write(store, docId, 'b')
      const rejected = Promise.all(
        [written, waiting].map((call) =>
          expect(call).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' }),
        ),
      )
      await store.lifeCycle.remove(docId)
      await rejected
    }))

  it('builds an index only when the group has ended', () =>
    use(async (store, docId, gate) => {
      const rows = Array.from({ length: 5000 }, (_, row) => `v${row}`)
      await addColumns(store, docId, 'T', new Map([['A', rows]]))
      gate.isOn = true
      const written = write(store, docId, 'a')
      await gate.reached()
      // Different filters: replies are cached.
      for (let i = 0; i < 4; i++) {
        const request = { tableId: 'T', filterJson: filterJson({ A: [`v${i}`] }) }
        await readText(store, docId, request)
      }
      gate.open()
      await written
      const indexes = () =>
        store.read(docId, ({ connection }) =>
          connection
            .pluck<number>("SELECT count(*) FROM sqlite_master WHERE name GLOB '_sheaf_auto_*'")
            .get(),
        )
      await eventually(() => indexes() === 1)
      await write(store, docId, 'b')
    }))

  it('commits and answers what waits when the store is closed', async () => {
    await using folder = await tempDir()
    const gate = new Gate(stage)
    const docId = await createIn(folder.path, 'T')
    const outcomes: Promise<unknown>[] = []
    {
      await using store = await openStore(folder.path, { stages: gate.stages, workers: 0 })
      gate.isOn = true
      outcomes.push(write(store, docId, 'a'))
      await gate.reached()
      outcomes.push(write(store, docId, 'b'))
      setImmediate(() => gate.open())
    }
    await Promise.all(outcomes)
    await using again = await openStore(folder.path, { workers: 0 })
    const text = await read(again, docId)
    expect([text.includes('"a"'), text.includes('"b"')]).toEqual([true, true])
  })

  it('undoes the write and remains usable when the stage fails', async () => {
    await using folder = await tempDir()
    let fails = false
    const away = () =>
      fails
        ? Promise.reject(new AppError('unavailable', 'LOG_UNAVAILABLE', 'the log is away'))
        : undefined
    await using store = await openStore(folder.path, { stages: { [stage]: away }, workers: 0 })
    const docId = await createTable(store, 'T', { A: 'Text' })
    const before = await read(store, docId)
    fails = true
    await expect(write(store, docId, 'a')).rejects.toMatchObject({ reason: 'LOG_UNAVAILABLE' })
    expect(await read(store, docId)).toBe(before)
    fails = false
    await write(store, docId, 'b')
    expect(await read(store, docId)).not.toContain('"a"')
  })

  it('stays open when it is idle otherwise', () =>
    use(async (store, docId, gate) => {
      gate.isOn = true
      const written = write(store, docId, 'a')
      await gate.reached()
      gate.isOn = false
      const other = await createTable(store, 'T', { A: 'Text' })
      // The sweep that closes the other would close this one too.
      await write(store, other, 'b')
      await eventually(() => store.openCount === 1)
      gate.open()
      await written
      expect(await read(store, docId)).toContain('"a"')
    }))

  it('truncates the write-ahead log only when the group has ended', () =>
    use(async (store, docId, gate) => {
      // Without threads, which would delay the truncation until the group has ended in any case.
      const long = 'x'.repeat(1000)
      await addColumns(store, docId, 'T', new Map([['A', new Array(3000).fill(long)]]))
      const { chunks } = await beginRead(store, docId, { tableId: 'T' })
      // Notices that the log is too large while the read goes on.
      await write(store, docId, 'a')
      gate.isOn = true
      const written = write(store, docId, 'b')
      await gate.reached()
      await takeText(chunks)
      const path = store.read(docId, ({ connection }) => connection.db.name)
      const size = () => statSync(`${path}-wal`).size
      await new Promise((resolve) => setImmediate(resolve))
      expect(size()).toBeGreaterThan(0)
      gate.open()
      await written
      await eventually(() => size() === 0)
    }, 0))

  it('shows a new column to later writes at once, to readers when it is on disk', () =>
    use(async (store, docId, gate) => {
      const columnsNow = () =>
        store.read(docId, ({ schema }) => schema.get('T').columns.map(({ id }) => id))
      gate.isOn = true
      const added = store.transact(docId, author, (doc) =>
        addStructure(doc, 'T', [{ id: 'B', fields: { type: 'Text' } }]),
      )
      const used = store.transact(docId, author, (doc) =>
        addRecords(doc, 'T', { count: 1, cells: new Map([['B', ['b']]]) }, { noParse: true }),
      )
      await gate.reached()
      const later = addColumns(store, docId, 'T', new Map([['B', ['c']]]))
      expect(columnsNow()).toEqual(['manualSort', 'A'])
      expect(await read(store, docId)).not.toContain('"B"')
      gate.open()
      await Promise.all([added, used, later])
      expect(columnsNow()).toEqual(['manualSort', 'A', 'B'])
      expect(await read(store, docId)).toContain('"c"')
    }))

  it('commits what a caller wrote who leaves meanwhile, and does not begin what one wished', () =>
    use(async (store, docId, gate) => {
      const [during, before] = [new AbortController(), new AbortController()]
      const add = (value: string, { signal }: AbortController) =>
        store.transact(
          docId,
          author,
          (doc) => {
            const cells = new Map([['A', [value]]])
            addRecords(doc, 'T', { count: 1, cells }, { noParse: true })
          },
          signal,
        )
      gate.isOn = true
      const written = add('a', during)
      await gate.reached()
      const waiting = expect(add('b', before)).rejects.toMatchObject({ reason: 'CALL_ENDED' })
      during.abort()
      before.abort()
      gate.open()
      await Promise.all([written, waiting])
      const text = await read(store, docId)
      expect([text.includes('"a"'), text.includes('"b"')]).toEqual([true, false])
    }))
})

it('appends every record of a transaction before its commit, once, in order', async () => {
  await using folder = await tempDir()
  const appended: LogRecord[] = []
  const append = ({ records }: AppendedGroup) => {
    appended.push(...records)
    return undefined
  }
  await using store = await openStore(folder.path, { stages: { append }, workers: 0 })
  const docId = await createTable(store, 'T', { A: 'Text' })
  const reply = { userId: 1, key: 'k', digest: Buffer.alloc(32), seq: 2, bytes: Buffer.from('r') }
  const refused = store.transact(docId, author, () => {
    throw new AppError('invalid', 'BAD', 'bad')
  })
  await Promise.allSettled([
    addColumns(store, docId, 'T', new Map([['A', ['a']]])),
    refused,
    store.transact(docId, author, (doc) => void (doc.reply = reply)),
    store.transact(docId, author, () => undefined),
    addColumns(store, docId, 'T', new Map([['A', ['b']]])),
  ])
  expect(appended.map(({ lsn }) => lsn)).toEqual([2, 3, 4, 5])
  expect(appended.map(({ entry }) => entry?.seq)).toEqual([2, 3, undefined, 4])
  expect(appended[2]?.reply).toEqual(reply)
  expect(appended[3]?.entry?.operations).toMatchObject([{ kind: 'add_rows', rowIds: [2] }])
})

it('appends the publish marks that are stored when a document is closed, like any other record', async () => {
  await using folder = await tempDir()
  const records = new AppendedRecords()
  await using store = await openStore(folder.path, { stages: records, workers: 0, maxOpen: 1 })
  const docId = await createTable(store, 'T', { A: 'Text' })
  const base = takeBase(store, docId)
  const count = records.of(docId).length
  const write = (value: string) => addColumns(store, docId, 'T', new Map([['A', [value]]]))
  await write('a')
  store.publishing.confirmPublished(docId, 3)
  // Takes the place of the first.
  await createTable(store, 'T', { A: 'Text' })
  await eventually(() => store.openCount === 1)
  await write('b')
  const added = records.of(docId).slice(count)
  expect(added.map(({ lsn }) => lsn)).toEqual([3, 4, 5])
  expect(added[1]).toMatchObject({ lsn: 4, marks: { published: 3 } })
  expect(records.differencesAfterRedo(store, docId, base, count)).toEqual([])
})

/** Makes a document in a store that is closed again. */
async function createIn(folder: string, tableId: string): Promise<string> {
  await using store = await openStore(folder, { workers: 0 })
  return createTable(store, tableId, { A: 'Text' })
}
