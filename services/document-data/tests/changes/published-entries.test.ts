import { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createEvent } from '../../src/changes/events'
import { removeColumn } from '../../src/store/structure/column-removal'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addNewColumns } from '../../src/store/structure/columns'
import type { CellColumns } from '../../src/store/records/conversion'
import type { DocumentWriter } from '../../src/store/document'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { LogEntry } from '../../src/store/log/log'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { RecentEntries } from '../../src/store/log/recent-entries'
import { author, createTable, openStore } from '../support/test-store'

const types = {
  T: 'Text',
  N: 'Numeric',
  B: 'Bool',
  L: 'ChoiceList',
  D: 'DateTime:Europe/Zurich',
  R: 'Ref:Data',
  X: 'Any',
}
const cells: CellColumns = new Map(
  Object.entries({
    T: ['ö', 'plain text', null],
    N: [-0, 1.5e-7, 'no number'],
    B: [true, false, 'maybe'],
    L: [['L', 'a', 'b'], null, 'a'],
    D: [1_700_000_000.25, null, 'some day'],
    R: [1, 0, 'nobody'],
    X: [1, ['L', 2], 2 ** 53],
  }),
)
const rows = { count: 3, cells }
const options = { noParse: true }

/** Writes of every kind, each with an entry of its own. */
const writes: readonly ((doc: DocumentWriter) => void)[] = [
  (doc) => void addRecords(doc, 'Data', rows, options),
  (doc) => updateRecords(doc, 'Data', { rowIds: [2], cells: new Map([['R', [1]]]) }, options),
  (doc) => void addNewColumns(doc, 'Data', [{ id: 'New', fields: { type: 'Int' } }]),
  (doc) => updateColumns(doc, 'Data', [{ id: 'N', change: { type: 'Text' } }]),
  (doc) => deleteRecords(doc, 'Data', [1]),
  (doc) =>
    void addRecords(doc, 'Data', { ...rows, cells: new Map([['T', long(200_000)]]) }, options),
  (doc) => removeColumn(doc, 'Data', 'X'),
]

function long(length: number): string[] {
  return new Array<string>(rows.count).fill('x'.repeat(length))
}

/** What goes to NATS for the entries, byte for byte. */
const encode = (docId: string, entries: readonly LogEntry[]) =>
  entries.map((entry) =>
    Buffer.from(ChangeEvent.encode(createEvent(entry, { docId, oldValues: true })).finish()),
  )

async function takeAll(store: DocumentStore, docId: string): Promise<LogEntry[]> {
  const all: LogEntry[] = []
  for (;;) {
    const batch = await store.publishing.nextBatch(docId)
    const last = batch.at(-1)
    if (!last) return all
    all.push(...batch)
    store.publishing.confirmPublished(docId, last.seq)
  }
}

it('what is published from memory is, byte for byte, what is published after a crash from the file', async () => {
  await using folder = await tempDir()
  await using store = await openStore(folder.path, { workers: 0 })
  const docId = await createTable(store, 'Data', types)
  await takeAll(store, docId)
  for (const write of writes)
    await store.transact(docId, author, (doc) => {
      write(doc)
    })
  // The file as it is now: another store on it knows nothing of what this one keeps.
  await using other = await openStore(folder.path, { workers: 0 })
  const fromFile = other.read(docId, ({ seq }) => seq)

  const find = jest.spyOn(RecentEntries.prototype, 'find')
  const published = await takeAll(store, docId)
  const inMemory = find.mock.results.flatMap(({ value }) => (value as LogEntry[] | undefined) ?? [])
  find.mockClear()
  const again = await takeAll(other, docId)
  expect(inMemory).toHaveLength(writes.length)
  expect(find.mock.results.every(({ value }) => value === undefined)).toBe(true)

  expect(published).toHaveLength(writes.length)
  expect(published.at(-1)?.seq).toBe(fromFile)
  expect(encode(docId, published)).toEqual(encode(docId, again.slice(-writes.length)))
})

describe('entries that come while a message is on its way', () => {
  /** A document of whose log one message is on its way. */
  const send = async (store: DocumentStore) => {
    const docId = await createTable(store, 'Data', types)
    await takeAll(store, docId)
    const write = (cells = rows.cells) =>
      store.transact(docId, author, (doc) => {
        addRecords(doc, 'Data', { ...rows, cells }, options)
      })
    await write()
    const sent = (await store.publishing.nextBatch(docId)).at(-1)?.seq ?? 0
    return { docId, write, sent }
  }

  it('go into the next one with those that come until it has gathered', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    const { docId, write, sent } = await send(store)
    await write()
    store.publishing.confirmPublished(docId, sent)
    let end = () => {}
    const next = store.publishing.nextBatch(docId, new Promise<void>((resolve) => (end = resolve)))
    await write()
    await write()
    end()
    expect((await next).map(({ seq }) => seq)).toEqual([sent + 1, sent + 2, sent + 3])
  })

  it('stay in an open document until it has gathered, although others need its place', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0, maxOpen: 1 })
    const { docId, write, sent } = await send(store)
    await write()
    store.publishing.confirmPublished(docId, sent)
    let end = () => {}
    const next = store.publishing.nextBatch(docId, new Promise<void>((resolve) => (end = resolve)))
    await createTable(store, 'Other', types)
    end()
    expect((await next).map(({ seq }) => seq)).toEqual([sent + 1])
  })

  it('wait for no more when they fill a message', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    const { docId, write, sent } = await send(store)
    const large = new Map([['T', long(30_000)]])
    for (let i = 0; i < 4; i++) await write(large)
    store.publishing.confirmPublished(docId, sent)
    const never = new Promise(() => {})
    const seqs = (await store.publishing.nextBatch(docId, never)).map(({ seq }) => seq)
    expect(seqs).toEqual([sent + 1, sent + 2])
  })
})
