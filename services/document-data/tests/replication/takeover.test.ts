import { listUnfinished } from '@sheaf/document-log/heads'
import { LOG_SCHEMA, type LogTables } from '@sheaf/document-log/schema'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { openDatabase } from '@sheaf/kit/postgres/database'
import { ListAttachmentsRequest } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { AddColumnsRequest } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { ListHistoryRequest } from '@sheaf/protos/sheaf/document_data/v1/history'
import {
  AddRecordsRequest,
  UpdateRecordsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { RunSqlRequest } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { defaultFormulaLimits } from '../../src/config'
import { readPublished } from '../support/published-changes'
import {
  add,
  call,
  createTable,
  openInstances,
  read,
  reasonOf,
  untilLeased,
  type Instances,
} from '../support/replicated-instances'
import { startStandInDirectory } from '../support/stand-in-directory'

let instances: Instances

beforeAll(async () => {
  instances = await openInstances()
})

afterAll(() => instances[Symbol.asyncDispose]())

const startDirectory = (first: string) => startStandInDirectory(instances.authority, first)

describe('a document whose instance has lost its lease', () => {
  it('is the same on the instance that takes over, and the former one serves nothing of it', async () => {
    await using directory = await startDirectory('a1')
    await using one = await instances.start(directory, 'a1')
    await using two = await instances.start(directory, 'a2')
    const docId = await createTable(one)
    await add(one, docId, 'first')
    const keyed = await add(one, docId, 'keyed', 'key')
    const withKey = await one.clients.as(docId, 'owners', { home: one.name, keyId: 7 })
    const bodyJson = Buffer.from('{"records":[{"fields":{"A":"by a key"}}]}')
    const adding = AddRecordsRequest.fromPartial({ docId, tableId: 'T', bodyJson })
    const { seq: ofKey } = await one.clients.records.addRecords(adding, withKey)
    const before = await read(one, docId)
    directory.ended.add('a1')
    directory.assign(docId, 'a2')
    await untilLeased(two, docId)
    expect(await read(two, docId)).toEqual(before)
    expect(await add(two, docId, 'keyed', 'key')).toEqual(keyed)
    expect(await read(two, docId)).toEqual(before)
    const ofKey7 = ListHistoryRequest.fromPartial({ docId, keyId: 7 })
    const { changes } = await two.clients.history.listHistory(ofKey7, await call(two, docId))
    expect(changes).toMatchObject([{ seq: ofKey, keyId: 7 }])
    const { seq } = await add(two, docId, 'second')
    // Until its lease has ended, nobody else may have been told to take over: then it refuses.
    await eventually(async () => (await reasonOf(read(one, docId))) === 'HOME_LEASE_ENDED')
    expect(await reasonOf(add(one, docId, 'lost'))).toBe('HOME_LEASE_ENDED')
    directory.ended.delete('a1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'DOCUMENT_MOVED')
    expect(await reasonOf(add(one, docId, 'lost'))).toBe('DOCUMENT_MOVED')
    const after = await add(two, docId, 'third')
    expect(after.seq).toBe(seq + 1)
    expect((await read(two, docId)).text).not.toContain('lost')
  })

  it('comes back to an instance with all that was written elsewhere', async () => {
    await using directory = await startDirectory('b1')
    await using one = await instances.start(directory, 'b1')
    await using two = await instances.start(directory, 'b2')
    const docId = await createTable(one)
    await add(one, docId, 'first')
    directory.ended.add('b1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'HOME_LEASE_ENDED')
    directory.assign(docId, 'b2')
    await untilLeased(two, docId)
    await add(two, docId, 'second')
    directory.ended.delete('b1')
    directory.ended.add('b2')
    await eventually(async () => (await reasonOf(read(two, docId))) === 'HOME_LEASE_ENDED')
    directory.assign(docId, 'b1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'done')
    expect((await read(one, docId)).text).toContain('second')
  })

  it('is not shown as it was by any read of the former instance', async () => {
    await using directory = await startDirectory('c1')
    await using one = await instances.start(directory, 'c1')
    const docId = await createTable(one)
    await add(one, docId, 'first')
    const { clients } = one
    const token = await call(one, docId)
    const drain = async (answers: AsyncIterable<unknown>) => {
      for await (const answer of answers) void answer
    }
    const reads: Record<string, () => Promise<unknown>> = {
      records: () => read(one, docId),
      tables: () => clients.tables.listTables({ docId, withColumns: true }, token),
      columns: () => clients.columns.listColumns({ docId, tableId: 'T', hidden: true }, token),
      sql: () =>
        drain(
          clients.sql.runSql(RunSqlRequest.fromPartial({ docId, sql: 'select * from T' }), token),
        ),
      lookup: () =>
        drain(
          clients.sql.runSql(
            RunSqlRequest.fromPartial({ docId, sql: 'select * from T where id = 1' }),
            token,
          ),
        ),
      history: () =>
        clients.history.listHistory(ListHistoryRequest.fromPartial({ docId, limit: 10 }), token),
      changes: () =>
        drain(clients.changes.readChanges(ReadChangesRequest.fromPartial({ docId }), token)),
      attachments: () =>
        drain(
          clients.attachments.listAttachments(ListAttachmentsRequest.fromPartial({ docId }), token),
        ),
    }
    for (const [what, run] of Object.entries(reads))
      expect([what, await reasonOf(run())]).toEqual([what, 'done'])
    const waiting = reasonOf(
      drain(
        clients.changes.readChanges(
          ReadChangesRequest.fromPartial({ docId, afterSeq: 1000, waitMs: 25_000 }),
          token,
        ),
      ),
    )
    directory.ended.add('c1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'HOME_LEASE_ENDED')
    for (const [what, run] of Object.entries(reads))
      expect([what, await reasonOf(run())]).toEqual([what, 'HOME_LEASE_ENDED'])
    expect(await waiting).toBe('HOME_LEASE_ENDED')
  })
})

describe('changes that an instance could not publish', () => {
  it('are published once, with the same ids, by the instance that takes over, although nobody asks for the document', async () => {
    await using directory = await startDirectory('d1')
    const one = await instances.start(directory, 'd1', { natsUrl: 'nats://127.0.0.1:1' })
    const docId = await createTable(one)
    const { seq } = await add(one, docId, 'first')
    await using two = await instances.start(directory, 'd2')
    const nats = await connectNats({
      url: testEngines().natsUrl,
      name: 'test',
      log: createLogger('test'),
      signal: new AbortController().signal,
    })
    try {
      directory.ended.add('d1')
      await eventually(() => directory.assignmentOf(docId).home === 'd2')
      await eventually(async () => (await readPublished(nats, docId)).events.at(-1)?.seq === seq)
      await eventually(async () => (await reasonOf(read(one, docId))) === 'HOME_LEASE_ENDED')
      // What another one publishes is no backlog of the former one.
      directory.ended.delete('d1')
      await eventually(() => one.service.backlog() === 0)
      await one[Symbol.asyncDispose]()
      const { seq: next } = await add(two, docId, 'second')
      await eventually(async () => (await readPublished(nats, docId)).events.at(-1)?.seq === next)
      const { events, epochs } = await readPublished(nats, docId)
      expect(events.map((event) => event.seq)).toEqual(
        Array.from({ length: next }, (_, index) => index + 1),
      )
      expect(epochs.size).toBe(1)
    } finally {
      await nats.close()
    }
  })
})

describe('cells that an instance had still to compute', () => {
  it('are computed by the instance that takes over, although nobody asks for the document', async () => {
    await using directory = await startDirectory('f1')
    const formulas = { ...defaultFormulaLimits, compiles: false, cacheFolder: '/dev/null/none' }
    await using one = await instances.start(directory, 'f1', { formulas })
    const docId = await createTable(one)
    await add(one, docId, 'first')
    const { columns } = one.clients
    const fields = { type: 'Text', isFormula: true, formula: '$A.upper()' }
    const request = AddColumnsRequest.fromPartial({
      docId,
      tableId: 'T',
      columns: [{ id: 'F', fields }],
    })
    await columns.addColumns(request, await call(one, docId))
    await using two = await instances.start(directory, 'f2')
    const log = createLogger('test')
    const db = openDatabase<LogTables>({ url: instances.databaseUrl, schema: LOG_SCHEMA, log })
    try {
      const left = async (...homes: string[]) => {
        const unfinished = await listUnfinished(db, homes)
        return unfinished.find((each) => each.docId === docId)
      }
      // What is to be published would open the document as well.
      await eventually(async () => (await left('f1'))?.unpublished === false)
      expect(await left('f1')).toMatchObject({ pending: true })
      directory.ended.add('f1')
      await eventually(() => directory.assignmentOf(docId).home === 'f2')
      await eventually(async () => !(await left('f1', 'f2'))?.pending)
    } finally {
      await db.destroy()
    }
    expect((await read(two, docId)).text).toContain('"F":"FIRST"')
  })
})

describe('cells of trigger formulas that were late', () => {
  it('are computed by the instance that takes over', async () => {
    await using directory = await startDirectory('g1')
    const formulas = { ...defaultFormulaLimits, compiles: false, cacheFolder: '/dev/null/none' }
    const one = await instances.start(directory, 'g1', { formulas })
    const docId = await createTable(one)
    const fields = { type: 'Text', formula: '$A.upper()' }
    const request = AddColumnsRequest.fromPartial({
      docId,
      tableId: 'T',
      columns: [{ id: 'F', fields: { isFormula: false, ...fields } }],
    })
    await one.clients.columns.addColumns(request, await call(one, docId))
    await add(one, docId, 'first')
    await add(one, docId, 'second')
    expect((await read(one, docId)).text).not.toContain('FIRST')
    // Neither its file nor a snapshot of it is there for the other instance.
    await using two = await instances.start(directory, 'g2')
    directory.ended.add('g1')
    directory.assign(docId, 'g2')
    await untilLeased(two, docId)
    await eventually(async () => (await read(two, docId)).text.includes('"F":"SECOND'), {
      timeoutMs: 60_000,
    })
    expect((await read(two, docId)).text).toContain('"F":"FIRST')
    await one[Symbol.asyncDispose]()
  })
})

describe('results that an instance had still to compute', () => {
  it('run the trigger formulas that name their column, on the instance that takes over', async () => {
    await using directory = await startDirectory('h1')
    const before = await instances.start(directory, 'h1')
    const docId = await createTable(before)
    const addColumn = async (id: string, fields: object) =>
      before.clients.columns.addColumns(
        AddColumnsRequest.fromPartial({ docId, tableId: 'T', columns: [{ id, fields }] }),
        await call(before, docId),
      )
    await addColumn('F', { type: 'Text', isFormula: true, formula: '$A.upper()' })
    const { columns } = await before.clients.columns.listColumns(
      { docId, tableId: 'T', hidden: false },
      await call(before, docId),
    )
    const dependsOn = [columns.find(({ id }) => id === 'F')?.colRef]
    const recalcDepsJson = Buffer.from(JSON.stringify(['L', ...dependsOn]))
    await addColumn('G', { type: 'Text', isFormula: false, formula: '"<" + $F', recalcDepsJson })
    await add(before, docId, 'first')
    await eventually(async () => (await read(before, docId)).text.includes('"G":"<FIRST"'))
    await before[Symbol.asyncDispose]()
    const formulas = { ...defaultFormulaLimits, compiles: false, cacheFolder: '/dev/null/none' }
    await using one = await instances.start(directory, 'h1', { formulas })
    await untilLeased(one, docId)
    const bodyJson = Buffer.from(JSON.stringify({ records: [{ id: 1, fields: { A: 'second' } }] }))
    const request = UpdateRecordsRequest.fromPartial({ docId, tableId: 'T', bodyJson })
    await one.clients.records.updateRecords(request, await call(one, docId))
    expect((await read(one, docId)).text).toContain('"G":"<FIRST"')
    // Neither its file nor a snapshot of it is there for the other instance.
    await using two = await instances.start(directory, 'h2')
    directory.ended.add('h1')
    directory.assign(docId, 'h2')
    await untilLeased(two, docId)
    await eventually(async () => (await read(two, docId)).text.includes('"G":"<SECOND"'))
  })
})

describe('an instance that stops', () => {
  it('ends its lease when it has answered its last call', async () => {
    await using directory = await startDirectory('e1')
    const one = await instances.start(directory, 'e1')
    await createTable(one)
    expect(directory.reports.at(-1)).toMatchObject({ replicated: true, released: false })
    await one[Symbol.asyncDispose]()
    expect(directory.reports.at(-1)).toMatchObject({ replicated: true, released: true })
    expect(new Set(directory.reports.map(({ startId }) => startId)).size).toBe(1)
  })
})
