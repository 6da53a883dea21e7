import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import {
  ListHistoryRequest,
  ListKeyChangesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import { AddRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { RoleName } from '@sheaf/auth/roles'
import { TestInstance } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

describe('the changes of an API key', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start()
  }, 240_000)
  afterAll(() => instance[Symbol.asyncDispose]())
  beforeEach(async () => {
    docId = await instance.clients.createDocument()
    for (const table of ['T', 'U']) await instance.clients.addTable(docId, table, { A: 'Text' })
  })

  /** Adds a row with a key, or in a session; returns the position of the change. */
  const add = async (tableId: string, keyId?: number): Promise<number> => {
    const bodyJson = Buffer.from('{"records":[{"fields":{"A":"x"}}]}')
    const request = AddRecordsRequest.fromPartial({ docId, tableId, bodyJson })
    const call = await instance.clients.as(docId, 'editors', { keyId })
    return (await instance.clients.records.addRecords(request, call)).seq
  }
  const list = async (request: Partial<ListHistoryRequest>) => {
    const call = await instance.clients.as(docId, 'editors')
    const whole = ListHistoryRequest.fromPartial({ docId, ...request })
    const { changes, nextBeforeSeq } = await instance.clients.history.listHistory(whole, call)
    return { seqs: changes.map(({ seq }) => seq), keys: changes.map((c) => c.keyId), nextBeforeSeq }
  }

  it('have its id in the history, and those without a key have none', async () => {
    for (const keyId of [7, undefined, 8]) await add('T', keyId)
    expect((await list({ limit: 3 })).keys).toEqual([8, 0, 7])
  })

  it('are listed alone, of one table too, in pages', async () => {
    const seqs: number[] = []
    for (const [table, keyId] of [
      ['T', 7],
      ['U', 7],
      ['T', 8],
      ['T', undefined],
      ['T', 7],
    ] as const)
      seqs.push(await add(table, keyId))
    const [first, ofU, , , last] = seqs
    expect(await list({ keyId: 7 })).toEqual({
      seqs: [last, ofU, first],
      keys: [7, 7, 7],
      nextBeforeSeq: 0,
    })
    expect(await list({ keyId: 7, tableId: 'T' })).toMatchObject({ seqs: [last, first] })
    expect(await list({ keyId: 7, limit: 2 })).toMatchObject({
      seqs: [last, ofU],
      nextBeforeSeq: ofU,
    })
    expect(await list({ keyId: 7, beforeSeq: ofU })).toMatchObject({
      seqs: [first],
      nextBeforeSeq: 0,
    })
    expect(await list({ keyId: 9 })).toEqual({ seqs: [], keys: [], nextBeforeSeq: 0 })
    await expect(list({ keyId: -1 })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('are found behind thousands of changes of others', async () => {
    const first = await add('T', 7)
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 1000 }, () => add('T', round === 1 ? 8 : undefined)))
    }
    const last = await add('U', 7)
    expect(await list({ keyId: 7 })).toMatchObject({ seqs: [last, first], nextBeforeSeq: 0 })
    expect(await list({ keyId: 7, tableId: 'T' })).toMatchObject({
      seqs: [first],
      nextBeforeSeq: 0,
    })
  })

  it('are not recognizable below editor', async () => {
    await add('T', 7)
    const keysFor = async (role: RoleName) => {
      const request = ReadChangesRequest.fromPartial({ docId, afterSeq: 2 })
      const call = await instance.clients.as(docId, role)
      const keys: unknown[] = []
      for await (const { change } of instance.clients.changes.readChanges(request, call))
        keys.push(change?.keyId)
      return keys
    }
    expect(await keysFor('editors')).toEqual([0, 7])
    expect(await keysFor('viewers')).toEqual([undefined, undefined])
  })

  describe('in short', () => {
    const summarize = async (
      request: Partial<ListKeyChangesRequest>,
      role: RoleName = 'editors',
    ) => {
      const whole = ListKeyChangesRequest.fromPartial({ docId, keyId: 7, ...request })
      const call = await instance.clients.as(docId, role)
      return instance.clients.history.listKeyChanges(whole, call)
    }

    it('are counted by table, and read on before a position or a time', async () => {
      const [first, second] = [await add('T', 7), await add('U', 7)]
      await add('T', 8)
      const { changes, hasMore } = await summarize({})
      expect(hasMore).toBe(false)
      expect(changes).toMatchObject([
        { seq: second, tables: [{ tableId: 'U', addedRows: 1, structure: false }] },
        { seq: first, tables: [{ tableId: 'T', addedRows: 1 }], truncated: false },
      ])
      expect(await summarize({ limit: 1 })).toMatchObject({
        changes: [{ seq: second }],
        hasMore: true,
      })
      const before = await summarize({ beforeSeq: second })
      expect(before).toMatchObject({ changes: [{ seq: first }], hasMore: false })
      const at = (index: number) => changes[index]?.timeMs ?? 0
      const seqs = async (beforeTimeMs: number) =>
        (await summarize({ beforeTimeMs })).changes.map(({ seq }) => seq)
      expect(await seqs(at(0) + 1)).toEqual([second, first])
      expect(await seqs(at(1) + 1)).toContain(first)
      expect(await seqs(at(1))).toEqual([])
      expect(await seqs(1)).toEqual([])
    })

    it('are for editors', async () => {
      await expect(summarize({}, 'viewers')).rejects.toMatchObject({ reason: 'ACCESS_DENIED' })
      await expect(summarize({ keyId: 0 })).rejects.toMatchObject({ code: 'invalid' })
      await expect(summarize({ limit: 101 })).rejects.toMatchObject({ code: 'invalid' })
    })
  })
})
