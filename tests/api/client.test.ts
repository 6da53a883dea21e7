import {
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  Sheaf,
  type AnyDocument,
  type Doc,
  type SheafOptions,
  type Trial,
  type UploadProgress,
} from '@sheaf/client'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import { homeWorkspace, useSystem } from '../support/system'

const system = useSystem()

const createClient = (options: Partial<SheafOptions> = {}) =>
  new Sheaf({ url: system.sheaf.url, key: system.sheaf.ownerKey, ...options })

/** A new document with the tables People (Name, Age, Boss) and Files (File). */
async function newDoc(): Promise<Doc> {
  const workspaceId = await homeWorkspace(system.alice.rest)
  const doc = await createClient().documents.create({ workspaceId, name: 'Client' })
  await doc.addTables([
    {
      id: 'People',
      columns: [
        { id: 'Name', fields: { type: 'Text' } },
        { id: 'Age', fields: { type: 'Int' } },
        { id: 'Boss', fields: { type: 'Ref:People' } },
      ],
    },
    { id: 'Files', columns: [{ id: 'File', fields: { type: 'Attachments' } }] },
  ])
  return doc
}

const namesOf = async (doc: Doc) =>
  (await doc.table('People').all({ sort: 'Name' })).map(({ fields }) => fields.Name)

describe('the client', () => {
  it('lists and creates workspaces and documents', async () => {
    const sheaf = createClient()
    const workspaceId = await sheaf.workspaces.create('Made by the client')
    const doc = await sheaf.documents.create({ workspaceId, name: 'Listed' })
    const workspaces = await sheaf.workspaces.list()
    expect(workspaces.find(({ id }) => id === workspaceId)?.docs).toMatchObject([
      { uuid: doc.id, name: 'Listed' },
    ])
    expect((await sheaf.documents.list()).map(({ uuid }) => uuid)).toContain(doc.id)
    expect(await doc.describe()).toMatchObject({ name: 'Listed', workspace: { id: workspaceId } })
  })

  it('changes tables and columns', async () => {
    const doc = await newDoc()
    const { columns } = doc.table('People')
    expect(await columns.add([{ id: 'Born', fields: { type: 'Date' } }])).toEqual(['Born'])
    await columns.update([{ id: 'Born', fields: { colId: 'Birthday' } }])
    await columns.delete('Age')
    expect((await columns.list()).map(({ id }) => id)).toEqual(['Name', 'Boss', 'Birthday'])
    await doc.updateTables([{ id: 'Files', fields: { tableId: 'Papers' } }])
    const tables = await doc.tables({ columns: true })
    expect(tables.map(({ id }) => id)).toEqual(['Table1', 'People', 'Papers'])
    expect(tables[2]?.columns?.map(({ fields }) => fields.type)).toEqual(['Attachments'])
    await doc.removeTables(['Table1', 'Papers'])
    expect((await doc.tables()).map(({ id }) => id)).toEqual(['People'])
  })

  it('adds, reads, updates, finds and deletes records', async () => {
    const people = (await newDoc()).table('People')
    const ids = await people.add([{ Name: 'Ann', Age: 40 }, { Name: 'Bob', Age: 17 }, {}])
    expect(ids).toEqual([1, 2, 3])
    await people.update([{ id: 2, fields: { Boss: 1 }, expect: { Age: 17 } }])
    const written = await people.addOrUpdate([
      { require: { Name: 'Ann' }, fields: { Age: 41 } },
      { require: { Name: 'Cy' }, fields: { Age: 9 } },
    ])
    expect(written).toEqual({ records: [[1], [4]], added: [4], updated: [1] })
    await people.delete([3])
    const adults = { filter: { Age: { gte: 17 } }, sort: '-Age', fields: ['Name', 'Boss'] } as const
    expect(await people.all(adults)).toEqual([
      { id: 1, fields: { Name: 'Ann', Boss: 0 } },
      { id: 2, fields: { Name: 'Bob', Boss: 1 } },
    ])
    expect(await people.find(4)).toMatchObject({ id: 4, fields: { Name: 'Cy' } })
    expect(await people.find(3)).toBeUndefined()
  })

  it('reads all pages of a table, each record once', async () => {
    const people = (await newDoc()).table('People')
    await people.add(Array.from({ length: 1_234 }, (_, Age) => ({ Age: Age % 7 })))
    const found = new Set<number>()
    for await (const { id } of people.list({ sort: ['-Age', 'id'] })) {
      expect(found.has(id)).toBe(false)
      found.add(id)
    }
    expect(found.size).toBe(1_234)
    expect(await people.all({ limit: 600, offset: 700 })).toHaveLength(534)
    const page = await people.page({ limit: 10, count: true, filter: { Age: [3] } })
    expect([page.records.length, page.totalCount]).toEqual([10, 176])
  })

  it('applies a batch, and refuses a write of a document that has changed', async () => {
    const doc = await newDoc()
    const operations = [
      { op: 'addRecords', table: 'People', records: [{ id: '$a', fields: { Name: 'Ann' } }] },
      { op: 'addRecords', table: 'People', records: [{ fields: { Name: 'Bob', Boss: '$a' } }] },
    ] as const
    const done = await doc.batch(operations)
    expect(done.tempIds).toEqual({ $a: 1 })
    expect(await namesOf(doc)).toEqual(['Ann', 'Bob'])
    await doc.table('People').add([{ Name: 'Cy' }], { ifMatch: done.etag })
    const late = doc.table('People').add([{ Name: 'Dan' }], { ifMatch: done.etag })
    await expect(late).rejects.toMatchObject({ status: 412, reason: 'DOCUMENT_CHANGED' })
  })

  it('runs SQL, and uploads and downloads files', async () => {
    const doc = await newDoc()
    await doc.table('People').add([{ Age: 40 }, { Age: 17 }])
    const statement = 'select max(Age) as age from People where Age < ?'
    expect(await doc.sql<{ age: number }>(statement, [40])).toEqual([{ age: 17 }])
    const reports: UploadProgress[] = []
    const files = [
      { name: 'a.txt', data: 'hello' },
      { name: 'b.bin', data: new Uint8Array(100_000) },
    ]
    const ids = await doc.attachments.upload(files, {
      onProgress: (progress) => reports.push(progress),
    })
    expect(reports.at(-1)).toEqual({ sent: 100_005, total: 100_005 })
    await doc.table('Files').add([{ File: ['L', ...ids] }])
    expect((await doc.attachments.list({ sort: '-fileSize' })).map(({ fields }) => fields)).toEqual(
      [
        expect.objectContaining({ fileName: 'b.bin', fileSize: 100_000 }),
        expect.objectContaining({ fileName: 'a.txt', fileSize: 5 }),
      ],
    )
    const [first = 0] = ids
    expect(await (await doc.attachments.download(first)).text()).toBe('hello')
    const part = await doc.attachments.download(first, { range: { start: 1, end: 3 } })
    expect(await part.text()).toBe('ell')
  })

  it('follows changes, shows the history and undoes a change', async () => {
    const doc = await newDoc()
    const people = doc.table('People')
    const { seq } = await people.page()
    await people.add([{ Name: 'Ann' }])
    const changes = doc.changes({ after: seq })
    expect((await changes.next()).value).toMatchObject({ seq: seq + 1, cause: 'api' })
    const next = changes.next()
    await people.add([{ Name: 'Bob' }])
    expect((await next).value).toMatchObject({ seq: seq + 2 })
    expect(await doc.undo(seq + 1)).toBe(seq + 3)
    await changes.return()
    expect(await namesOf(doc)).toEqual(['Bob'])
    const causes: string[] = []
    for await (const { cause } of doc.history({ tableId: 'People', limit: 3 })) causes.push(cause)
    expect(causes).toEqual(['undo', 'api', 'api'])
    const seen: number[] = []
    for await (const change of doc.changes({ after: seq, follow: false })) seen.push(change.seq)
    expect(seen).toEqual([seq + 1, seq + 2, seq + 3])
  })
})

describe('a dry run of the client', () => {
  const writes: readonly [string, (doc: Trial) => Promise<unknown>][] = [
    ['added records', (doc) => doc.table('People').add([{ Name: 'Cy' }, {}])],
    ['updated records', (doc) => doc.table('People').update([{ id: 1, fields: { Age: 41 } }])],
    [
      'added or updated records',
      (doc) => doc.table('People').addOrUpdate([{ require: { Name: 'Ann' }, fields: { Age: 3 } }]),
    ],
    ['deleted records', (doc) => doc.table('People').delete([2])],
    ['added columns', (doc) => doc.table('People').columns.add([{ id: 'Born' }])],
    [
      'updated columns',
      (doc) => doc.table('People').columns.update([{ id: 'Age', fields: { colId: 'Years' } }]),
    ],
    [
      'added or updated columns',
      (doc) => doc.table('People').columns.addOrUpdate([{ id: 'New', fields: {} }]),
    ],
    ['a deleted column', (doc) => doc.table('People').columns.delete('Age')],
    ['added tables', (doc) => doc.addTables([{ id: 'Teams', columns: [{ id: 'Name' }] }])],
    ['updated tables', (doc) => doc.updateTables([{ id: 'Files', fields: { tableId: 'Papers' } }])],
    ['removed tables', (doc) => doc.removeTables(['Files'])],
    [
      'a batch',
      (doc) =>
        doc.batch([
          { op: 'addRecords', table: 'People', records: [{ id: '$a', fields: { Name: 'Dan' } }] },
          { op: 'addRecords', table: 'People', records: [{ fields: { Boss: '$a' } }] },
        ]),
    ],
    [
      'an undo',
      async (doc) => {
        const { seq } = await doc.table('People').page({ limit: 1 })
        return doc.undo(seq)
      },
    ],
  ]

  /** All that readers see of the document. */
  const look = async (doc: Doc) => [
    await doc.tables({ columns: true }),
    await doc.table('People').page(),
    await createClient().request({ method: 'GET', path: `/api/docs/${doc.id}/history` }),
  ]
  const withoutEtag = (result: unknown) =>
    typeof result === 'object' && result !== null ? { ...result, etag: undefined } : result

  it.each(writes)('of %s resolves as the write, and keeps nothing', async (_, write) => {
    const doc = await newDoc()
    await doc.table('People').add([{ Name: 'Ann', Age: 40 }, { Name: 'Bob' }])
    const before = await look(doc)
    const tried = await doc.dryRun(write)
    expect(await look(doc)).toEqual(before)
    const written = await write(doc)
    expect(withoutEtag(tried.result)).toEqual(withoutEtag(written))
    const { value: change } = await doc.history({ limit: 1 }).next()
    expect({ ...change, user: 0, time: '' }).toEqual({ ...tried.change, user: 0, time: '' })
    expect(tried.pendingColumns).toEqual([])
  })

  it('is refused as the write', async () => {
    const doc = await newDoc()
    const late = doc.dryRun((trial) =>
      trial.table('People').add([{ Name: 'Dan' }], { ifMatch: 'W/"other.1"' }),
    )
    await expect(late).rejects.toMatchObject({ status: 412, reason: 'DOCUMENT_CHANGED' })
    const upload = doc.dryRun((trial) =>
      (trial as Doc).attachments.upload([{ name: 'a.txt', data: 'a' }]),
    )
    await expect(upload).rejects.toMatchObject({ status: 400, reason: 'INVALID_PARAMETER' })
    expect(await doc.attachments.list()).toEqual([])
  })
})

describe('errors of the client', () => {
  it('have the class, the reason, the details and the request id of the response', async () => {
    const doc = await newDoc()
    const people = doc.table('People')
    await people.add([{ Name: 'Ann' }])
    const attempts: [Promise<unknown>, new (...args: never[]) => Error, string][] = [
      [doc.table('Peple').page(), NotFoundError, 'TABLE_NOT_FOUND'],
      [people.all({ filter: { Nmae: ['a'] } }), InvalidRequestError, 'UNKNOWN_COLUMN'],
      [
        people.update([{ id: 1, fields: { Age: 1 }, expect: { Name: 'Bob' } }]),
        PreconditionFailedError,
        'CELL_CHANGED',
      ],
      [people.add([{ Age: 'old' }], { strict: true }), InvalidRequestError, 'INVALID_VALUE'],
      [createClient({ key: undefined }).doc(doc.id).tables(), PermissionError, 'ACCESS_DENIED'],
      [createClient({ key: 'shf_none' }).documents.list(), AuthenticationError, 'INVALID_API_KEY'],
    ]
    for (const [attempt, type, reason] of attempts) {
      const error: unknown = await attempt.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(type)
      expect(error).toMatchObject({ reason, requestId: expect.stringMatching(/./) })
    }
    await expect(doc.changes({ after: 99 }).next()).rejects.toBeInstanceOf(InvalidRequestError)
  })

  it('tell that an undo conflicts, and that a key belongs to another request', async () => {
    const doc = await newDoc()
    const people = doc.table('People')
    const [id = 0] = await people.add([{ Name: 'Ann' }], { idempotencyKey: 'first' })
    expect(await people.add([{ Name: 'Ann' }], { idempotencyKey: 'first' })).toEqual([id])
    const other = people.add([{ Name: 'Bob' }], { idempotencyKey: 'first' })
    await expect(other).rejects.toMatchObject({ status: 422, reason: 'IDEMPOTENCY_KEY_REUSED' })
    const { seq } = await people.page()
    await people.update([{ id, fields: { Name: 'Anna' } }])
    const error: unknown = await doc.undo(seq).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ reason: 'CHANGED_SINCE' })
  })
})

describe('with connections that break', () => {
  it('every write is there once, and the feed has every change once', async () => {
    const { id } = await newDoc()
    await using proxy = await TcpProxy.start(system.sheaf.url)
    const retry = { firstDelayMs: 20, maxDelayMs: 100, attempts: 50 }
    const doc = createClient({ url: proxy.through(system.sheaf.url), retry }).doc<AnyDocument>(id)
    const people = doc.table('People')
    const { seq } = await people.page()
    const seen: number[] = []
    const following = (async () => {
      for await (const change of doc.changes({ after: seq, retry })) {
        seen.push(change.seq)
        if (seen.length === 100) return
      }
    })()
    for (let round = 0; round < 10; round++) {
      const writes = Array.from({ length: 10 }, (_, index) =>
        people.add([{ Name: `${round}-${index}` }]),
      )
      // The first to finish shows that others are under way.
      await Promise.race(writes)
      proxy.refuse()
      proxy.admit()
      await Promise.all(writes)
    }
    await following
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => seq + 1 + index))
    const names = await namesOf(doc)
    expect([names.length, new Set(names).size]).toEqual([100, 100])
  })
})
