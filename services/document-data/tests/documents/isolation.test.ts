import type { CallContext } from '@sheaf/protos/call'
import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import {
  AddOrUpdateRecordsRequest,
  ReadRecordsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { RunSqlRequest } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { TestInstance } from '../support/test-instance'

describe('isolation', () => {
  let instance: TestInstance
  let docId: string
  let other: string
  beforeAll(async () => {
    instance = await TestInstance.start()
    docId = await instance.clients.createDocument()
    other = await instance.clients.createDocument()
    await instance.clients.add(docId, 'Table1', [{ A: 'secret' }])
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  /** Every RPC on `docId` with the same credentials. */
  const everyCall = (call: CallContext | undefined): (() => Promise<unknown>)[] => {
    const { actions, documents, tables, columns, records, changes, sql } = instance.clients
    const table = { docId, tableId: 'Table1' }
    const bodyJson = Buffer.from('{"records":[{"id":1,"fields":{"A":"changed"}}]}')
    const first = async (stream: AsyncIterable<unknown>) => {
      for await (const message of stream) return message
      return undefined
    }
    return [
      () => first(records.readRecords(ReadRecordsRequest.fromPartial(table), call)),
      () => first(changes.readChanges(ReadChangesRequest.fromPartial({ docId }), call)),
      () => first(sql.runSql(RunSqlRequest.fromPartial({ docId, sql: 'select 1' }), call)),
      () => tables.listTables({ docId, withColumns: false }, call),
      () => columns.listColumns({ ...table, hidden: false }, call),
      () => documents.createDocument({ docId, timezone: '', locale: '' }, call),
      () => records.addRecords({ ...table, bodyJson, noParse: false, form: 0 }, call),
      () => records.updateRecords({ ...table, bodyJson, noParse: false, form: 0 }, call),
      () =>
        records.addOrUpdateRecords(
          AddOrUpdateRecordsRequest.fromPartial({ ...table, bodyJson }),
          call,
        ),
      () => actions.applyActions({ docId, bodyJson: Buffer.from('[]'), noParse: false }, call),
      () => records.deleteRecords({ ...table, bodyJson: Buffer.from('[1]') }, call),
      () =>
        tables.addTables(
          { docId, tables: [{ id: 'X', columns: [{ id: '', fields: undefined }] }] },
          call,
        ),
      () => columns.addColumns({ ...table, columns: [{ id: '', fields: undefined }] }, call),
    ]
  }
  const readers = 5

  afterEach(async () => {
    expect(await instance.clients.read(docId, 'Table1')).toMatchObject([
      { fields: { A: 'secret' } },
    ])
  })

  it('refuses every call without a valid token', async () => {
    for (const call of [undefined, { token: 'nonsense' }])
      for (const send of everyCall(call))
        await expect(send()).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('refuses every call with a token for another document, or for none', async () => {
    const { clients, authority } = instance
    for (const call of [await clients.as(other, 'owners'), { token: await authority.sign() }])
      for (const send of everyCall(call))
        await expect(send()).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('refuses every call that belongs to another home', async () => {
    for (const home of ['document-data-1', undefined])
      for (const send of everyCall(await instance.clients.as(docId, 'owners', { home })))
        await expect(send()).rejects.toMatchObject({ code: 'precondition', reason: 'WRONG_HOME' })
  })

  it('lets viewers read and nothing else', async () => {
    const calls = everyCall(await instance.clients.as(docId, 'viewers'))
    for (const send of calls.slice(0, readers)) await send()
    for (const send of calls.slice(readers))
      await expect(send()).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('lets guests and members do nothing', async () => {
    for (const role of ['guests', 'members'] as const)
      for (const send of everyCall(await instance.clients.as(docId, role)))
        await expect(send()).rejects.toMatchObject({ code: 'forbidden' })
  })
})
