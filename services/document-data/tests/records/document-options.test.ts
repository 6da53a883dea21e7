import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { eventually } from '@sheaf/testkit/eventually'
import type { CallContext } from '@sheaf/protos/call'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { TestInstance, newColumns } from '../support/test-instance'

let instance: TestInstance
let docId = ''
let call: CallContext

beforeAll(async () => {
  instance = await TestInstance.start()
})
afterAll(async () => {
  await instance[Symbol.asyncDispose]()
})
beforeEach(async () => {
  docId = await instance.clients.createDocument()
  await instance.clients.addTable(docId, 'Data', { A: 'Text', L: 'ChoiceList', B: 'Bool' })
  call = await instance.clients.as(docId, 'editors', { userId: 7 })
})

const optionsOf = (options: Partial<WriteOptions>): WriteOptions => ({
  ifMatch: [],
  idempotencyKey: '',
  requestDigest: Buffer.alloc(0),
  strict: false,
  dryRun: false,
  ...options,
})
const keyed = (key: string, request = ''): WriteOptions =>
  optionsOf({
    idempotencyKey: key,
    requestDigest: createHash('sha256').update(request).digest(),
  })
const body = (records: object[]) => Buffer.from(JSON.stringify({ records }))
const add = (options?: WriteOptions, as = call, A = 'x') =>
  instance.clients.records.addRecords(
    {
      docId,
      tableId: 'Data',
      bodyJson: body([{ fields: { A } }]),
      noParse: false,
      form: 0,
      options,
    },
    as,
  )
const patch = (record: object, options?: WriteOptions) =>
  instance.clients.records.updateRecords(
    { docId, tableId: 'Data', bodyJson: body([record]), noParse: false, form: 0, options },
    call,
  )
const rows = async () => (await instance.clients.read(docId, 'Data')).map(({ fields }) => fields.A)
const tag = async () => {
  const { tables: client } = instance.clients
  const { etag = '' } = await client.listTables({ docId, withColumns: false }, call)
  return etag
}

describe('the tag of a document', () => {
  it('is its epoch and log position, the same in every answer', async () => {
    const { clients } = instance
    const { etag, seq } = await add()
    expect(etag).toMatch(new RegExp(`^[0-9a-f-]{36}\\.${seq}$`))
    expect(await tag()).toBe(etag)
    const columns = await clients.columns.listColumns(
      { docId, tableId: 'Data', hidden: false },
      call,
    )
    expect([columns.seq, columns.etag]).toEqual([seq, etag])
    const other = await clients.createDocument()
    const { tables } = clients
    const elsewhere = await tables.listTables(
      { docId: other, withColumns: false },
      await clients.as(other, 'viewers'),
    )
    expect(elsewhere.etag?.split('.')[0]).not.toBe(etag?.split('.')[0])
  })

  it('spares a read of what the caller knows, without looking at the table', async () => {
    const { clients } = instance
    await add()
    const options = { ifNoneMatch: ['other.1', await tag()] }
    const read = async () => {
      const messages = []
      const request = ReadRecordsRequest.fromPartial({ docId, tableId: 'None', options })
      for await (const message of clients.records.readRecords(request, call)) messages.push(message)
      return messages.map(({ chunk, notModified, etag }) => [chunk.length, notModified, etag])
    }
    expect(await read()).toEqual([[0, true, await tag()]])
    const tables = () => clients.tables.listTables({ docId, withColumns: false, options }, call)
    expect(await tables()).toMatchObject({ tables: [], notModified: true })
    const columns = { docId, tableId: 'Data', hidden: false, options }
    expect(await clients.columns.listColumns(columns, call)).toMatchObject({ notModified: true })
    await add()
    expect((await tables()).tables).toHaveLength(2)
    await expect(read()).rejects.toMatchObject({ reason: 'TABLE_NOT_FOUND' })
  })
})

describe('a write under a condition', () => {
  it('goes on while the document is as its tag says, whatever else was read', async () => {
    const first = await add(optionsOf({ ifMatch: [await tag()] }))
    const second = await add(optionsOf({ ifMatch: ['other', first.etag ?? ''] }))
    expect(second.seq).toBe(first.seq + 1)
    await add(optionsOf({ ifMatch: ['*'] }))
    const stale = add(optionsOf({ ifMatch: [first.etag ?? ''] }))
    await expect(stale).rejects.toMatchObject({
      code: 'precondition',
      reason: 'DOCUMENT_CHANGED',
    })
    expect(await rows()).toHaveLength(3)
  })

  it('is judged when its turn comes: of many with the same tag one goes on', async () => {
    const ifMatch = [await tag()]
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => add(optionsOf({ ifMatch }))),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await rows()).toHaveLength(1)
  })

  it('holds for writes of tables, columns and deletions alike', async () => {
    const { clients } = instance
    const options = optionsOf({ ifMatch: ['other.1'] })
    const changed = { reason: 'DOCUMENT_CHANGED' }
    const columns = newColumns([{ id: 'New' }])
    await expect(
      clients.columns.addColumns({ docId, tableId: 'Data', columns, options }, call),
    ).rejects.toMatchObject(changed)
    await expect(
      clients.tables.addTables({ docId, tables: [{ id: 'New', columns }], options }, call),
    ).rejects.toMatchObject(changed)
    await expect(
      clients.records.deleteRecords(
        { docId, tableId: 'Data', bodyJson: Buffer.from('[1]'), options },
        call,
      ),
    ).rejects.toMatchObject(changed)
  })
})

describe('a record that is expected to hold cells', () => {
  beforeEach(async () => {
    await instance.clients.add(docId, 'Data', [{ A: 'old', L: ['L', 'x'], B: true }, { A: 'two' }])
  })

  it('is changed when it does', async () => {
    const expect1 = { A: 'old', L: ['L', 'x'], B: true }
    await patch({ id: 1, fields: { A: 'new' }, expect: expect1 })
    await patch({ id: 2, fields: { A: 'too' }, expect: { L: null, B: false } })
    expect(await rows()).toEqual(['new', 'too'])
  })

  it.each<[string, object]>([
    ['A', { A: 'older' }],
    ['A', { A: null }],
    ['L', { A: 'old', L: ['L', 'y'] }],
    ['B', { B: 1 }],
  ])('is left alone with all others when column %s holds something else', async (column, cells) => {
    const before = await tag()
    const records = [
      { id: 2, fields: { A: 'z' } },
      { id: 1, fields: { A: 'z' }, expect: cells },
    ]
    const request = { docId, tableId: 'Data', bodyJson: body(records), noParse: false, form: 0 }
    await expect(instance.clients.records.updateRecords(request, call)).rejects.toMatchObject({
      code: 'precondition',
      reason: 'CELL_CHANGED',
      message: expect.stringContaining(
        `record 1 does not have the expected value in column "${column}"`,
      ),
      metadata: { column, recordId: '1' },
    })
    expect([await rows(), await tag()]).toEqual([['old', 'two'], before])
  })

  it.each<[string, object, object]>([
    ['an unknown column', { id: 1, fields: {}, expect: { zz: 1 } }, { reason: 'INVALID_COLUMN' }],
    ['an unknown row', { id: 9, fields: {}, expect: { A: 1 } }, { reason: 'INVALID_ROW_ID' }],
    ['a list', { id: 1, fields: {}, expect: [] }, { reason: 'INVALID_PAYLOAD' }],
    ['an object', { id: 1, fields: {}, expect: { A: {} } }, { reason: 'INVALID_PAYLOAD' }],
  ])('is refused for %s in what is expected', async (_, record, error) => {
    await expect(patch(record)).rejects.toMatchObject({ code: 'invalid', ...error })
  })
})

describe('a write with a key', () => {
  it('is done once and answered alike, also after the document was closed', async () => {
    await using own = await TestInstance.start({ maxOpenDocuments: 1 })
    const { clients } = own
    const ownId = await clients.createDocument()
    const as = await clients.as(ownId, 'editors')
    const write = () =>
      clients.records.addRecords(
        {
          docId: ownId,
          tableId: 'Table1',
          bodyJson: body([{ fields: { A: 'once' } }]),
          noParse: false,
          form: 0,
          options: keyed('k'),
        },
        as,
      )
    const first = await write()
    expect(await write()).toEqual(first)
    await clients.add(await clients.createDocument(), 'Table1', [{ A: 1 }])
    await clients.add(ownId, 'Table1', [{ A: 'another' }])
    expect(await write()).toEqual(first)
    expect(await clients.read(ownId, 'Table1')).toHaveLength(2)
  })

  it('that comes many times at once gets the one answer', async () => {
    // A machine with much to do refuses some of them, which are sent again.
    const send = () => eventually(() => add(keyed('k')))
    const answers = await Promise.all(Array.from({ length: 10 }, send))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await rows()).toEqual(['x'])
  })

  it('is a mismatch when the request is another one', async () => {
    await add(keyed('k', 'one'))
    await expect(add(keyed('k', 'two'))).rejects.toMatchObject({
      code: 'mismatch',
      reason: 'IDEMPOTENCY_KEY_REUSED',
    })
    expect(await rows()).toEqual(['x'])
  })

  it('is another one for another user', async () => {
    await add(keyed('k'))
    await add(keyed('k'), await instance.clients.as(docId, 'editors', { userId: 8 }))
    expect(await rows()).toEqual(['x', 'x'])
  })

  it('gets its answer although the document has changed since its condition held', async () => {
    const options = { ...keyed('k'), ifMatch: [await tag()] }
    const first = await add(options)
    await add()
    expect(await add(options)).toEqual(first)
  })

  it('leaves nothing when it was refused, so that it can be put right', async () => {
    const wrong = patch({ id: 77, fields: { A: 'x' } }, keyed('k', 'wrong'))
    await expect(wrong).rejects.toMatchObject({ reason: 'INVALID_ROW_ID' })
    await add(keyed('k', 'right'))
    expect(await rows()).toEqual(['x'])
  })

  it('that changes nothing is kept as well', async () => {
    await add()
    const same = () => patch({ id: 1, fields: { A: 'x' } }, keyed('k'))
    const first = await same()
    await patch({ id: 1, fields: { A: 'y' } })
    expect(await same()).toEqual(first)
    expect(await rows()).toEqual(['y'])
  })

  it.each<[string, Partial<WriteOptions>]>([
    ['options.idempotency_key', { idempotencyKey: 'k'.repeat(256) }],
    ['options.request_digest', { idempotencyKey: 'k', requestDigest: Buffer.alloc(5) }],
  ])('is refused when %s is not valid', async (field, options) => {
    await expect(
      add(optionsOf({ requestDigest: Buffer.alloc(32), ...options })),
    ).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(field) })
  })

  it('is forgotten some time after 24 hours, by itself', async () => {
    await using own = await TestInstance.start({ idleSeconds: 4 })
    const { clients } = own
    const ownId = await clients.createDocument()
    const columns = newColumns([{ id: 'New' }])
    const request = { docId: ownId, tableId: 'Table1', columns, options: keyed('k') }
    await clients.columns.addColumns(request, await clients.as(ownId, 'editors'))
    const path = join(own.folder.path, 'documents', ownId.slice(0, 2), ownId, 'document.sqlite')
    const db = new Database(path)
    try {
      const kept = () => db.prepare('SELECT count(*) FROM _sheaf_replies').pluck().get()
      expect(kept()).toBe(1)
      db.exec('UPDATE _sheaf_replies SET time = 0')
      await eventually(() => kept() === 0)
    } finally {
      db.close()
    }
  })

  it('leaves a log that publishes as ever', async () => {
    const key = randomUUID()
    await add(keyed(key))
    await add(keyed(key))
    await eventually(() => instance.service.backlog() === 0)
  })
})
