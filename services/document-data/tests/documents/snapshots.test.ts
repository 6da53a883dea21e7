import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/backup'
import type { CreateFromSnapshotRequest } from '@sheaf/protos/sheaf/document_data/v1/documents'
import { ExportServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/export'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import { eventually } from '@sheaf/testkit/eventually'
import Database from 'better-sqlite3'
import { TestInstance } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

const SECRET = 'what stood here before'
const ROWS = 3_000

describe('a snapshot', () => {
  let instance: TestInstance
  let channel: GrpcChannel
  let exports: ExportServiceClientImpl
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start()
    channel = openChannel({ address: instance.service.address })
    exports = new ExportServiceClientImpl(channel)
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Words', { T: 'Text', N: 'Int' })
    const rows = Array.from({ length: ROWS }, (_, i) => ({ T: `word ${i}`, N: i }))
    await clients.add(docId, 'Words', [{ T: SECRET, N: -1 }, ...rows])
    await clients.remove(docId, 'Words', [1])
  })
  afterAll(async () => {
    await channel[Symbol.asyncDispose]()
    await instance[Symbol.asyncDispose]()
  })

  const exportBytes = async (options: { noHistory?: boolean; template?: boolean } = {}) => {
    const request = { docId, noHistory: false, template: false, ...options }
    const call = await instance.clients.as(docId, 'owners')
    const chunks: Uint8Array[] = []
    for await (const { chunk } of exports.exportDocument(request, call)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const store = async (bytes: Uint8Array, newId: string = randomUUID()) => {
    async function* parts(): AsyncGenerator<CreateFromSnapshotRequest> {
      yield { part: { $case: 'head', value: { docId: newId, userId: 7 } } }
      for (let start = 0; start < bytes.length; start += 100_000)
        yield {
          part: { $case: 'chunk', value: Buffer.from(bytes.subarray(start, start + 100_000)) },
        }
    }
    const call = await instance.clients.asSystem()
    const { seq } = await instance.clients.documents.createFromSnapshot(parts(), call)
    return { newId, seq }
  }
  const openBytes = (bytes: Buffer) => new Database(bytes, { readonly: true })
  const openFile = () =>
    new Database(
      join(instance.folder.path, 'documents', docId.slice(0, 2), docId, 'document.sqlite'),
    )
  const leftovers = () => readdir(join(instance.folder.path, 'documents', 'unfinished'))

  it('of one document leaves places for others, and gives its place back when its reader goes away', async () => {
    const { clients } = instance
    const large = await clients.createDocument()
    await clients.addTable(large, 'Words', { T: 'Text' })
    // More than a connection takes while nobody reads.
    const rows = Array.from({ length: 40 }, () => ({ T: 'x'.repeat(250_000) }))
    await clients.add(large, 'Words', rows)
    const request = { docId: large, noHistory: true, template: false }
    const call = await clients.as(large, 'owners', { userId: 77 })
    const readWhole = async (): Promise<number> => {
      let size = 0
      for await (const { chunk } of exports.exportDocument(request, call)) size += chunk.length
      return size
    }
    const leaving = Array.from({ length: 8 }, () => new AbortController())
    for (const { signal } of leaving) {
      const chunks = exports.exportDocument(request, { ...call, signal })
      await chunks[Symbol.asyncIterator]().next()
    }
    await expect(readWhole()).rejects.toMatchObject({ code: 'too_many', reason: 'DOCUMENT_BUSY' })
    expect((await exportBytes()).length).toBeGreaterThan(0)
    // Those who download must not keep a backup from being made.
    let backedUp = 0
    const backup = new BackupServiceClientImpl(channel)
    for await (const { chunk } of backup.readDocument({ docId: large }, await clients.asSystem()))
      backedUp += chunk.length
    expect(backedUp).toBeGreaterThan(10_000_000)
    for (const reader of leaving) reader.abort()
    await eventually(async () => (await readWhole()) > 10_000_000)
    await eventually(async () => (await leftovers()).length === 0)
  })

  it('lost its place for good when there was no room for a folder', async () => {
    const folder = join(instance.folder.path, 'documents', 'unfinished')
    await rename(folder, `${folder}-away`)
    await writeFile(folder, '')
    for (let i = 0; i < 20; i++) await expect(exportBytes()).rejects.toBeDefined()
    await rm(folder)
    await rename(`${folder}-away`, folder)
    expect((await exportBytes()).length).toBeGreaterThan(0)
  })

  it('makes another document with the same rows, which goes its own way', async () => {
    const { clients } = instance
    const { newId, seq } = await store(await exportBytes({ noHistory: true }))
    expect(seq).toBe(1)
    expect(await clients.read(newId, 'Words')).toEqual(await clients.read(docId, 'Words'))
    await clients.add(newId, 'Words', [{ T: 'only here' }])
    expect(await clients.read(newId, 'Words')).toHaveLength(ROWS + 1)
    expect(await clients.read(docId, 'Words')).toHaveLength(ROWS)
    expect(await leftovers()).toEqual([])
  })

  it('becomes a document with an epoch of its own and one log entry, which is published', async () => {
    const { newId } = await store(await exportBytes())
    await eventually(() => instance.service.backlog() === 0)
    const path = join(instance.folder.path, 'documents', newId.slice(0, 2), newId)
    const [copy, original] = [newId, docId].map((id) => {
      const file = join(instance.folder.path, 'documents', id.slice(0, 2), id, 'document.sqlite')
      const db = new Database(file, { readonly: true })
      try {
        return {
          log: db.prepare('SELECT seq, user, cause, operations FROM _sheaf_log').all(),
          epoch: db.prepare('SELECT epoch FROM _sheaf_state').pluck().get(),
        }
      } finally {
        db.close()
      }
    })
    expect(copy?.log).toEqual([{ seq: 1, user: 7, cause: 2, operations: '[]' }])
    expect(copy?.epoch).not.toBe(original?.epoch)
    expect(await readdir(path)).toContain('document.sqlite')
  })

  it('without history holds nothing that was deleted, not even between its pages', async () => {
    const whole = await exportBytes()
    expect(whole.includes(SECRET)).toBe(true)
    const bytes = await exportBytes({ noHistory: true })
    expect(bytes.includes(SECRET)).toBe(false)
    expect(bytes.includes('word 17')).toBe(true)
  })

  it('as a template has the structure alone', async () => {
    const bytes = await exportBytes({ template: true })
    for (const text of [SECRET, 'word 17']) expect(bytes.includes(text)).toBe(false)
    const { newId } = await store(bytes)
    const { clients } = instance
    expect(await clients.read(newId, 'Words')).toEqual([])
    const call = await clients.as(newId, 'viewers')
    const { tables } = await clients.tables.listTables({ docId: newId, withColumns: true }, call)
    const words = tables.find(({ id }) => id === 'Words')
    expect(words?.columns.map(({ id }) => id)).toEqual(['T', 'N'])
    expect(await clients.add(newId, 'Words', [{ T: 'first' }])).toEqual([1])
  })

  it('has all other tables and indexes as they are', async () => {
    const db = openFile()
    const copy = openBytes(await exportBytes())
    const schemaOf = (of: Database.Database) =>
      of.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()
    expect(schemaOf(copy)).toEqual(schemaOf(db))
    const settings = ['user_version', 'application_id', 'page_size', 'integrity_check']
    for (const name of settings)
      expect(copy.pragma(name, { simple: true })).toBe(db.pragma(name, { simple: true }))
    for (const each of [db, copy]) each.close()
  })

  it('has no contents of running uploads and of files that are being removed', async () => {
    const db = openFile()
    db.exec(`
      INSERT INTO _sheaf_files VALUES (901, 'kept', 1, NULL), (902, 'running', 1, 'upload'), (903, 'gone', 1, '');
      INSERT INTO _sheaf_file_chunks VALUES (901, 901, 0, x'01'), (902, 902, 0, x'02'), (903, 903, 0, x'03')`)
    const copy = openBytes(await exportBytes())
    expect(copy.prepare('SELECT id FROM _sheaf_files').pluck().all()).toEqual([901])
    expect(copy.prepare('SELECT file_id FROM _sheaf_file_chunks').pluck().all()).toEqual([901])
    copy.close()
    db.exec(`
      DELETE FROM _sheaf_files WHERE id > 900;
      DELETE FROM _sheaf_file_chunks WHERE id > 900`)
    db.close()
  })

  it('has no automatic indexes, no kept orders and no stored replies', async () => {
    const db = openFile()
    db.exec(`
      CREATE TABLE _sheaf_indexes (name TEXT PRIMARY KEY, used_at INTEGER NOT NULL);
      CREATE INDEX _sheaf_auto_2_5 ON Words (T);
      INSERT INTO _sheaf_indexes VALUES ('_sheaf_auto_2_5', 0);
      CREATE TABLE _sheaf_order_2_1 (key, id INTEGER, PRIMARY KEY (key, id)) WITHOUT ROWID;
      INSERT INTO _sheaf_orders VALUES ('_sheaf_order_2_1', '[]', '', '', 1);
      INSERT INTO _sheaf_replies VALUES (1, 'key', x'00', 1, 0, x'00', 0, 1)`)
    db.close()
    const copy = openBytes(await exportBytes())
    const names = copy.prepare('SELECT name FROM sqlite_master').pluck().all()
    expect(names.filter((name) => /auto_|_indexes|_order_/.test(String(name)))).toEqual([])
    expect(copy.prepare('SELECT count(*) FROM _sheaf_orders').pluck().get()).toBe(0)
    expect(copy.prepare('SELECT count(*) FROM _sheaf_replies').pluck().get()).toBe(0)
    copy.close()
  })

  it('shows one moment, while others write', async () => {
    const { clients } = instance
    let running = true
    const write = async () => {
      for (let i = 0; running; i++) await clients.add(docId, 'Table1', [{ A: i }, { A: i }])
    }
    const writing = write()
    try {
      for (let taken = 0; taken < 3; taken++) {
        const copy = openBytes(await exportBytes())
        const count = copy.prepare('SELECT count(*) FROM Table1').pluck().get() as number
        const entries = copy
          .prepare(
            `SELECT count(*) FROM _sheaf_log
          WHERE operations LIKE '%add_rows%' AND operations LIKE '%Table1%'`,
          )
          .pluck()
          .get() as number
        expect(count).toBe(entries * 2)
        copy.close()
      }
    } finally {
      running = false
      await writing
    }
  })

  it('is given to who may see the document, without history below editors', async () => {
    const request = { docId, noHistory: false, template: false }
    const read = async (role: 'viewers' | 'guests') => {
      const call = await instance.clients.as(docId, role)
      const chunks: Uint8Array[] = []
      for await (const { chunk } of exports.exportDocument(request, call)) chunks.push(chunk)
      return Buffer.concat(chunks)
    }
    expect((await read('viewers')).includes(SECRET)).toBe(false)
    await expect(read('guests')).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('is taken from Sheaf itself alone, once, and only whole', async () => {
    const { clients } = instance
    const bytes = await exportBytes({ template: true })
    const owner = await clients.as(docId, 'owners')
    async function* head(): AsyncGenerator<CreateFromSnapshotRequest> {
      yield { part: { $case: 'head', value: { docId: randomUUID(), userId: 1 } } }
    }
    await expect(clients.documents.createFromSnapshot(head(), owner)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(store(bytes, docId)).rejects.toMatchObject({ reason: 'DOCUMENT_EXISTS' })
    for (const broken of [
      Buffer.alloc(0),
      Buffer.from('this is no database at all '.repeat(100)),
      bytes.subarray(0, bytes.length - 4096),
    ])
      await expect(store(broken)).rejects.toMatchObject({ reason: 'BAD_SNAPSHOT' })
    const deleted = await clients.createDocument()
    await clients.documents.deleteDocument(
      { docId: deleted, keeps: false },
      await clients.asSystem(),
    )
    await expect(store(bytes, deleted)).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' })
    expect(await leftovers()).toEqual([])
  })

  it('of a document that is not there, or damaged, is refused and leaves nothing behind', async () => {
    const { clients } = instance
    const read = async (id: string) => {
      const request = { docId: id, noHistory: true, template: false }
      const call = await clients.as(id, 'owners')
      return exports.exportDocument(request, call)[Symbol.asyncIterator]().next()
    }
    await expect(read(randomUUID())).rejects.toMatchObject({ code: 'not_found' })
    const damaged = await clients.createDocument()
    const folder = join(instance.folder.path, 'documents', damaged.slice(0, 2), damaged)
    await writeFile(join(folder, 'document.sqlite'), 'no database '.repeat(1000))
    await expect(read(damaged)).rejects.toMatchObject({ reason: 'DOCUMENT_DAMAGED' })
    expect(await leftovers()).toEqual([])
  })
})
