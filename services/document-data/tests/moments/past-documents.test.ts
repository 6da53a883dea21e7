import { join } from 'node:path'
import { readdir } from 'node:fs/promises'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { eventually } from '@sheaf/testkit/eventually'
import { PastDocuments, type PastDocumentsOptions } from '../../src/moments/past-documents'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { updateRecords } from '../../src/store/records/records'
import { restoreMoment } from '../../src/store/past/restore-moment'
import { addColumns, author, buildWorkers, createTable, openStore } from '../support/test-store'

const reader = { userId: 1, signal: new AbortController().signal }
const at = (value: number) => ({ moment: { $case: 'seq' as const, value } })

describe('documents of the past', () => {
  let folder: TempDir
  let store: DocumentStore
  let docId = ''
  /** The values of the only row, by the position that wrote them. */
  const values = new Map<number, number>()
  let opened: PastDocuments[] = []

  beforeAll(async () => {
    buildWorkers()
    folder = await tempDir()
    store = await openStore(join(folder.path, 'documents'))
    docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [0]]]))
    for (let value = 1; value <= 20; value++) {
      const cells = new Map([['A', [value]]])
      const { seq } = await store.transact(docId, author, (doc) =>
        updateRecords(doc, 'T', { rowIds: [1], cells }, { noParse: true }),
      )
      values.set(seq, value)
    }
  })
  afterEach(async () => {
    for (const past of opened) await past[Symbol.asyncDispose]()
    opened = []
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  async function openPast(options: Partial<PastDocumentsOptions> = {}): Promise<PastDocuments> {
    const path = join(folder.path, `past ${opened.length}`)
    const past = await PastDocuments.open(store, {
      folder: path,
      maxBytes: 1024 ** 3,
      openStore: () => openStore(path, { isPast: true }),
      ...options,
    })
    opened.push(past)
    return past
  }

  async function valueAt(past: PastDocuments, seq: number): Promise<number | undefined> {
    using moment = await past.open(docId, at(seq), reader)
    expect(moment.seq).toBe(seq)
    return moment.documents.read<number | undefined>(moment.docId, ({ connection }) =>
      connection.pluck<number>('SELECT A FROM T').get(),
    )
  }

  async function filesOf(index = 0): Promise<string[]> {
    const names = await readdir(join(folder.path, `past ${index}`), { recursive: true })
    return names.filter((name) => name.endsWith('document.sqlite'))
  }

  it('show each moment, in any order, and many at once', async () => {
    const past = await openPast()
    const seqs = [...values.keys()]
    const shuffled = [...seqs.slice(7), ...seqs.slice(0, 7)].filter((_, i) => i % 3 !== 1)
    for (const seq of shuffled) expect(await valueAt(past, seq)).toBe(values.get(seq))
    const again = await Promise.all(seqs.slice(0, 6).map((seq) => valueAt(past, seq)))
    expect(again).toEqual([...values.values()].slice(0, 6))
  })

  it('are made once for all who ask at the same time, and kept', async () => {
    const past = await openPast()
    const [seq = 0] = values.keys()
    await Promise.all(Array.from({ length: 10 }, () => valueAt(past, seq)))
    expect(await filesOf()).toHaveLength(1)
    const bytes = past.bytes
    expect(bytes).toBeGreaterThan(0)
    await valueAt(past, seq)
    expect(past.bytes).toBe(bytes)
  })

  it('are the present document at its latest moment, without a file', async () => {
    const past = await openPast()
    using moment = await past.open(docId, at(Math.max(...values.keys())), reader)
    expect([moment.documents, moment.docId]).toEqual([store, docId])
    expect(past.bytes).toBe(0)
  })

  it('leave the disk beyond their budget, those used longest ago first, but not while in use', async () => {
    const past = await openPast({ maxBytes: 1 })
    const [first = 0, second = 0] = values.keys()
    const held = await past.open(docId, at(first), reader)
    expect(await valueAt(past, second)).toBe(values.get(second))
    await eventually(async () => (await filesOf()).length === 1)
    const read = () =>
      held.documents.read<unknown>(held.docId, ({ connection }) =>
        connection.pluck('SELECT A FROM T').get(),
      )
    expect(read()).toBe(values.get(first))
    held[Symbol.dispose]()
    await eventually(async () => (await filesOf()).length === 0)
    expect(past.bytes).toBe(0)
    expect(await valueAt(past, first)).toBe(values.get(first))
  })

  it('leave the disk when nobody has used them for a while', async () => {
    const past = await openPast({ idleMs: 20 })
    await valueAt(past, [...values.keys()][0] ?? 0)
    await eventually(async () => (await filesOf()).length === 0)
  })

  it('leave the disk with their document', async () => {
    const past = await openPast()
    const [first = 0, second = 0] = values.keys()
    await valueAt(past, first)
    await valueAt(past, second)
    past.forget(docId)
    await eventually(async () => (await filesOf()).length === 0)
  })

  it('are refused while too many others of the document are being made', async () => {
    const past = await openPast()
    const results = await Promise.allSettled([...values.keys()].map((seq) => valueAt(past, seq)))
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { reason?: string }).reason] : [],
    )
    expect(reasons.length).toBeGreaterThan(0)
    expect(new Set(reasons)).toEqual(new Set(['DOCUMENT_BUSY']))
    const [last] = [...values.keys()].slice(-2)
    expect(await valueAt(past, last ?? 0)).toBe(values.get(last ?? 0))
  })

  it('are made by the next read after their folder could not be opened', async () => {
    let attempts = 0
    const path = join(folder.path, `past ${opened.length}`)
    const past = await openPast({
      openStore: () =>
        ++attempts === 1 ? Promise.reject(new Error('no disk')) : openStore(path, { isPast: true }),
    })
    const [seq = 0] = values.keys()
    await expect(valueAt(past, seq)).rejects.toThrow('no disk')
    expect(await valueAt(past, seq)).toBe(values.get(seq))
  })

  it('are refused, as is restoring them, when the log does not fit the document', async () => {
    const past = await openPast()
    const other = await createTable(store, 'T', { A: 'Int' })
    const { seq } = store.stateOf(other)
    await addColumns(store, other, 'T', new Map([['A', [1]]]))
    const cells = new Map([['A', [2]]])
    await store.transact(other, author, (doc) =>
      updateRecords(doc, 'T', { rowIds: [1], cells }, { noParse: true }),
    )
    // Nothing that Sheaf does: the row of the last change is gone.
    await store.transact(other, author, (doc) => doc.connection.db.exec('DELETE FROM T').open)
    const damaged = { code: 'unavailable', reason: 'DOCUMENT_DAMAGED' }
    await expect(past.open(other, at(seq), reader)).rejects.toMatchObject(damaged)
    await expect(
      store.transact(other, author, (doc) => restoreMoment(doc, { seq })),
    ).rejects.toMatchObject(damaged)
  })

  it('are made although the first who asked has gone', async () => {
    const past = await openPast()
    const gone = new AbortController()
    const [seq = 0] = values.keys()
    const opening = past.open(docId, at(seq), { userId: 1, signal: gone.signal })
    gone.abort()
    await expect(opening).rejects.toMatchObject({ code: 'timeout', reason: 'CALL_ENDED' })
    expect(await valueAt(past, seq)).toBe(values.get(seq))
  })
})

describe('restoring a moment', () => {
  it('undoes the writes that are committed together with it as well', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path)
    const docId = await createTable(store, 'T', { A: 'Int' })
    await addColumns(store, docId, 'T', new Map([['A', [0]]]))
    const { seq } = store.stateOf(docId)
    const write = (value: number) =>
      store.transact(docId, author, (doc) =>
        updateRecords(
          doc,
          'T',
          { rowIds: [1], cells: new Map([['A', [value]]]) },
          { noParse: true },
        ),
      )
    const restoring = store.transact.bind(store, docId, author, (doc) =>
      restoreMoment(doc, { seq }),
    )
    await Promise.all([write(1), write(2), restoring()])
    const read = () =>
      store.read<unknown>(docId, ({ connection }) => connection.pluck('SELECT A FROM T').get())
    expect(read()).toBe(0)
    expect(store.stateOf(docId).seq).toBe(seq + 3)
  })
})
