import { join } from 'node:path'
import {
  ReadChangesRequest,
  type ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import { eventually } from '@sheaf/testkit/eventually'
import Database from 'better-sqlite3'
import { defaultLimits } from '../../src/config'
import { LogWatch } from '../../src/store/log/log-watch'
import { TestInstance } from '../support/test-instance'

describe('reading changes', () => {
  let instance: TestInstance
  beforeAll(async () => {
    instance = await TestInstance.start({ limits: { ...defaultLimits, reads: 2, delayMs: 60_000 } })
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const read = async (
    docId: string,
    request: Partial<ReadChangesRequest>,
    { role = 'viewers', signal }: { role?: 'viewers' | 'editors'; signal?: AbortSignal } = {},
    from = instance,
  ) => {
    const { clients } = from
    const whole = ReadChangesRequest.fromPartial({ docId, ...request })
    const call = { ...(await clients.as(docId, role)), signal }
    const responses: ReadChangesResponse[] = []
    for await (const response of clients.changes.readChanges(whole, call)) responses.push(response)
    return responses
  }
  const seqs = (responses: ReadChangesResponse[]) => responses.map(({ change }) => change?.seq)
  const newDocument = async (from = instance) => {
    const docId = await from.clients.createDocument()
    await from.clients.add(docId, 'Table1', [{ A: 'a', B: 1 }])
    return docId
  }

  it('waits for the next entry and gives it at once', async () => {
    const docId = await newDocument()
    const waiting = read(docId, { afterSeq: 2, waitMs: 25_000 })
    const others = Array.from({ length: 20 }, () => read(docId, { afterSeq: 2, waitMs: 25_000 }))
    await instance.clients.read(docId, 'Table1')
    await instance.clients.update(docId, 'Table1', [{ id: 1, fields: { A: 'b' } }])

    expect(seqs(await waiting)).toEqual([3])
    // More than may be answered at once: whoever waits takes nobody's place.
    for (const other of await Promise.all(others)) expect(seqs(other)).toEqual([3])
  })

  it('ends empty when nothing came, and tells the state when asked', async () => {
    const docId = await newDocument()
    expect(await read(docId, { afterSeq: 2, waitMs: 20 })).toEqual([])
    const [state, ...rest] = await read(docId, { afterSeq: 2, tellState: true })
    expect(rest).toEqual([])
    expect(state).toMatchObject({ latestSeq: 2, change: undefined })
    expect(state?.etag).toMatch(/^[\w-]+\.2$/)
    expect((await read(docId, { afterSeq: 1 }))[0]).toMatchObject({ latestSeq: 2 })
  })

  it('gives changes of some tables only, and entries without any of them empty', async () => {
    const docId = await newDocument()
    await instance.clients.addTable(docId, 'Other', { X: 'Text' })
    await instance.clients.add(docId, 'Other', [{ X: 'x' }])
    const responses = await read(docId, { afterSeq: 1, tableRefs: [2] })
    expect(responses.map(({ change }) => [change?.seq, change?.operations.length])).toEqual([
      [2, 0],
      [3, 1],
      [4, 1],
    ])
  })

  it('gives whole rows to viewers, without what was before', async () => {
    const docId = await newDocument()
    await instance.clients.update(docId, 'Table1', [{ id: 1, fields: { A: 'b' } }])
    await instance.clients.update(docId, 'Table1', [{ id: 1, fields: { B: 2 } }])
    const told = async (role: 'viewers' | 'editors') =>
      (await read(docId, { afterSeq: 2, fullRows: true }, { role })).map(({ change }) => {
        const operation = change?.operations[0]?.operation
        if (operation?.$case !== 'updateRows') throw new Error('no update')
        return operation.value.columns.map((column) => [
          column.colId,
          column.colRef,
          column.oldValuesJson.toString(),
          column.newValuesJson.toString(),
        ])
      })
    expect(await told('editors')).toEqual([
      [
        ['manualSort', 0, '', '[1]'],
        ['A', 2, '["a"]', '["b"]'],
        ['B', 3, '', '[1]'],
        ['C', 4, '', '[null]'],
      ],
      [
        ['manualSort', 0, '', '[1]'],
        ['A', 2, '', '["b"]'],
        ['B', 3, '[1]', '[2]'],
        ['C', 4, '', '[null]'],
      ],
    ])
    expect((await told('viewers'))[0]?.[1]).toEqual(['A', 2, '', '["b"]'])
  })

  it('gives a large entry in parts of a bounded size', async () => {
    const docId = await newDocument()
    const rows = Array.from({ length: 40 }, (_, i) => ({ A: `${i} ${'é'.repeat(100_000)}` }))
    await instance.clients.add(docId, 'Table1', rows)
    const responses = await read(docId, { afterSeq: 2 })
    expect(responses.length).toBeGreaterThan(4)
    expect(new Set(seqs(responses))).toEqual(new Set([3]))
    expect(responses.map(({ continued }) => continued).lastIndexOf(true)).toBe(responses.length - 2)
    const ids = responses.flatMap(({ change }) =>
      (change?.operations ?? []).flatMap(({ operation }) =>
        operation?.$case === 'addRows' ? operation.value.rowIds : [],
      ),
    )
    expect(ids).toEqual(rows.map((_, i) => i + 2))
  })

  it('says where the log begins when it does not reach back so far', async () => {
    const docId = await newDocument()
    const file = join('documents', docId.slice(0, 2), docId, 'document.sqlite')
    const db = new Database(join(instance.folder.path, file))
    db.exec('DELETE FROM _sheaf_log WHERE seq < 2')
    db.close()
    await expect(read(docId, { afterSeq: 0 })).rejects.toMatchObject({
      code: 'precondition',
      reason: 'CHANGES_CUT',
      metadata: { oldestSeq: '2' },
    })
    expect(seqs(await read(docId, { afterSeq: 1 }))).toEqual([2])
  })

  it('ends when the caller goes away, and when the document is deleted', async () => {
    const docId = await newDocument()
    const gone = new AbortController()
    const cancelled = read(docId, { afterSeq: 2, waitMs: 25_000 }, { signal: gone.signal })
    const deleted = read(docId, { afterSeq: 2, waitMs: 25_000 })
    cancelled.catch(() => {})
    deleted.catch(() => {})
    await instance.clients.read(docId, 'Table1')
    gone.abort()
    await expect(cancelled).rejects.toThrow()
    const call = await instance.clients.asSystem()
    await instance.clients.documents.deleteDocument({ docId, keeps: false }, call)
    await expect(deleted).rejects.toMatchObject({
      reason: /^DOCUMENT_(DELETED|NOT_FOUND)$/ as never,
    })
  })

  it('holds up no stop of the service', async () => {
    const own = await TestInstance.start()
    const docId = await newDocument(own)
    const waiting = read(docId, { afterSeq: 2, waitMs: 25_000 }, {}, own)
    waiting.catch(() => {})
    await own.clients.read(docId, 'Table1')
    const before = Date.now()
    await own.service[Symbol.asyncDispose]()
    expect(Date.now() - before).toBeLessThan(8_000)
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
    await own.clients[Symbol.asyncDispose]()
    await own.folder[Symbol.asyncDispose]()
  })
})

describe('waiting for changes', () => {
  it('is bounded, for one document, for one user and for all', async () => {
    using watch = new LogWatch()
    const waits: Promise<void>[] = []
    const wait = (docId: string, userId: number) => watch.wait({ docId, userId }, 60_000)
    for (let i = 0; i < 500; i++) waits.push(wait('a', i))
    await expect(wait('a', 7)).rejects.toMatchObject({ reason: 'DOCUMENT_BUSY' })
    for (let i = 0; i < 500; i++) waits.push(wait(`own${i}`, 1000))
    await expect(wait('b', 1000)).rejects.toMatchObject({ reason: 'USER_BUSY' })
    for (let i = 0; i < 1000; i++) waits.push(wait(`own${i}`, 2000 + i))
    await expect(wait('c', 5000)).rejects.toMatchObject({ reason: 'SERVICE_BUSY' })
    watch.wake('a')
    await Promise.all(waits.slice(0, 500))
    expect(watch.size).toBe(1500)
    for (let i = 0; i < 1000; i++) watch.wake(`own${i}`)
    await Promise.all(waits)
    await eventually(() => watch.size === 0)
  })
})
