import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { WriteStages } from '../../src/store/documents/shared-resources'
import { readEntries } from '../../src/store/log/log'
import type { LogRecord } from '../../src/store/log/record-writer'
import {
  addColumns,
  author,
  buildWorkers,
  createTable,
  filterJson,
  openStore,
  readText,
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
  ): Promise<void> => {
    await using folder = await tempDir()
    const gate = new Gate(stage)
    await using store = await openStore(folder.path, {
      stages: gate.stages,
      workers: 1,
      maxOpen: 1,
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

  it('holds every acknowledged write whole, and nothing of the open group, after SIGKILL', async () => {
    await using folder = await tempDir()
    const acknowledged = new Map<string, number>()
    const docId = await createIn(folder.path, 'Other')
    for (const round of [0, 1, 3, 10]) {
      await writeUntilHeld([folder.path, docId, stage, String(round)], acknowledged)
      await using store = await openStore(folder.path, { workers: 0 })
      const stored = store.read(docId, ({ connection }) =>
        connection.raw<[string, number]>('SELECT A, count(*) FROM Table1 GROUP BY A').all(),
      )
      expect(stored.map(([name]) => name).sort()).toEqual([...acknowledged.keys()].sort())
      expect(stored.every(([, count]) => count === 3)).toBe(true)
      const { seq } = store.stateOf(docId)
      expect(Math.max(2, ...acknowledged.values())).toBe(seq)
      const seqs = store.read(docId, ({ connection }) =>
        readEntries(connection, { after: 0, upTo: seq + 10, maxBytes: 0 }).map(
          (entry) => entry.seq,
        ),
      )
      expect(seqs).toEqual(Array.from({ length: seq }, (_, index) => index + 1))
      await store.transact(docId, author, () => undefined)
    }
    expect(acknowledged.size).toBeGreaterThan(10)
  })
})

it('appends every record of a transaction before its commit, once, in order', async () => {
  await using folder = await tempDir()
  const appended: LogRecord[] = []
  const append = (_: string, records: readonly LogRecord[]) => {
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

/** Makes a document in a store that is closed again. */
async function createIn(folder: string, tableId: string): Promise<string> {
  await using store = await openStore(folder, { workers: 0 })
  return createTable(store, tableId, { A: 'Text' })
}

/** Runs writes in another process until a group waits, and kills it there. */
async function writeUntilHeld(
  args: readonly string[],
  acknowledged: Map<string, number>,
): Promise<void> {
  const program = join(__dirname, '../support/held-writes-process.mjs')
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    const [seq, name] = line.split(' ')
    if (name !== undefined) acknowledged.set(name, Number(seq))
    else child.kill('SIGKILL')
  }
  await ended
}
