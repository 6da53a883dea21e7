import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import type { RoleName } from '@sheaf/kit/roles'
import {
  ArchiveFormat,
  DownloadAttachmentRequest,
  ListAttachmentsRequest,
  type Attachment,
  type UploadAttachmentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import { eventually } from '@sheaf/testkit/eventually'
import Database from 'better-sqlite3'
import { extract, pack } from 'tar-stream'
import { TestInstance } from './test-instance'

const KIB = 1024
const limits = { fileBytes: 3 * 1024 * KIB, documentBytes: 5 * 1024 * KIB }
const BIG_BYTES = 20 * 1024 * KIB

let instance: TestInstance
let doc: string
beforeAll(async () => {
  instance = await TestInstance.start({ attachments: limits })
})
afterAll(() => instance?.[Symbol.asyncDispose]())
beforeEach(async () => {
  doc = await instance.clients.createDocument()
})

interface TestFile {
  readonly name: string
  readonly bytes: Uint8Array | string
  readonly type?: string
}

function* messages(
  files: readonly TestFile[],
  options?: WriteOptions,
): Generator<UploadAttachmentRequest> {
  for (const { name, bytes, type = 'text/plain' } of files) {
    const value = { docId: doc, fileName: name, mediaType: type }
    yield { part: { $case: 'attachment', value }, options }
    const all = Buffer.from(bytes)
    for (let at = 0; at < all.length; at += 64 * KIB)
      yield { part: { $case: 'chunk', value: all.subarray(at, at + 64 * KIB) } }
  }
  yield { part: { $case: 'complete', value: true } }
}

async function send(parts: AsyncIterable<UploadAttachmentRequest>, role: RoleName = 'editors') {
  return instance.clients.attachments.uploadAttachment(parts, await instance.clients.as(doc, role))
}

const upload = (files: readonly TestFile[], options?: WriteOptions) =>
  send(Readable.from(messages(files, options)))

const uploadOne = async (name: string, bytes: Uint8Array | string): Promise<Attachment> => {
  const { attachment } = await upload([{ name, bytes }])
  if (!attachment) throw new Error('nothing was attached')
  return attachment
}

async function download(id: number, range: { offset?: number; length?: number } = {}) {
  const request = DownloadAttachmentRequest.fromPartial({ docId: doc, attachmentId: id, ...range })
  const chunks: Buffer[] = []
  const call = await instance.clients.as(doc, 'viewers')
  for await (const { part } of instance.clients.attachments.downloadAttachment(request, call))
    if (part?.$case === 'chunk') chunks.push(part.value)
  return Buffer.concat(chunks)
}

interface Listed {
  id: number
  fields: { fileName: string; fileSize: number; timeUploaded: string }
}

async function list(request: Partial<ListAttachmentsRequest> = {}): Promise<Listed[]> {
  const chunks: Buffer[] = []
  const whole = ListAttachmentsRequest.fromPartial({ docId: doc, ...request })
  const call = await instance.clients.as(doc, 'viewers')
  for await (const { chunk } of instance.clients.attachments.listAttachments(whole, call))
    chunks.push(chunk)
  return (JSON.parse(Buffer.concat(chunks).toString()) as { records: Listed[] }).records
}

const ids = async () => (await list()).map(({ id }) => id)

const documents = () => join(instance.folder.path, 'documents')
const fileOf = (docId: string) =>
  join(documents(), docId.slice(0, 2), docId, 'document.sqlite')

/** Looks into the file of the document, as somebody who is not Sheaf. */
function look<T>(sql: string): T[] {
  const db = new Database(fileOf(doc), { readonly: true })
  try {
    return db.prepare(sql).pluck().all() as T[]
  } finally {
    db.close()
  }
}

const storedFiles = () => look<number>('SELECT size FROM _sheaf_files ORDER BY id')
const staged = () => readdirSync(join(documents(), 'unfinished'))

/** Nothing of any upload is left but what is attached. */
async function untilTidy(files: readonly number[]): Promise<void> {
  await eventually(() => {
    const chunks = look<number>('SELECT octet_length(bytes) FROM _sheaf_file_chunks')
    const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0)
    return (
      JSON.stringify(storedFiles()) === JSON.stringify(files) &&
      sum(chunks) === sum(files) &&
      staged().length === 0
    )
  })
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing went wrong',
    (error: unknown) => (error as { reason?: string }).reason,
  )

describe('an upload', () => {
  it('attaches files with a row each, in their order', async () => {
    const { attachments, seq } = await upload([
      { name: 'a.txt', bytes: 'aaa' },
      { name: 'noext', bytes: '{}', type: 'application/json' },
      { name: '', bytes: '' },
    ])
    expect(attachments).toMatchObject([
      { id: 1, fileName: 'a.txt', fileSize: 3, mediaType: 'text/plain', fileExt: '.txt' },
      { id: 2, fileName: 'noext', fileSize: 2, mediaType: 'application/json', fileExt: '.json' },
      { id: 3, fileName: '', fileSize: 0 },
    ])
    const sha1 = createHash('sha1').update('aaa').digest('hex')
    expect(attachments[0]?.fileIdent).toBe(`${sha1}.txt`)
    expect(seq).toBe(2)
    expect((await download(1)).toString()).toBe('aaa')
    expect(await download(3)).toHaveLength(0)
    await untilTidy([3, 2, 0])
  })

  it('is one entry of the log, whatever it brings', async () => {
    await upload([
      { name: 'a.bin', bytes: randomBytes(1500 * KIB) },
      { name: 'b.bin', bytes: randomBytes(700 * KIB) },
    ])
    const request = { docId: doc, afterSeq: 1, limit: 0, fullRows: false }
    const call = await instance.clients.as(doc, 'viewers')
    const changes = []
    for await (const { change } of instance.clients.changes.readChanges(request, call))
      changes.push(change)
    expect(changes).toHaveLength(1)
    expect(changes[0]?.operations).toMatchObject([
      { operation: { $case: 'addRows', value: { tableId: '_grist_Attachments', rowIds: [1, 2] } } },
    ])
  })

  it('stores equal bytes once, also those of one upload', async () => {
    const bytes = randomBytes(600 * KIB)
    await upload([
      { name: 'a.bin', bytes },
      { name: 'b.bin', bytes },
    ])
    const again = await uploadOne('c.png', bytes)
    expect(again.id).toBe(3)
    expect(again.fileIdent).toMatch(/\.png$/)
    await untilTidy([bytes.length])
    expect((await download(2)).equals(bytes)).toBe(true)
    expect((await download(3)).equals(bytes)).toBe(true)
  })

  it('keeps equal bytes once when they come at the same moment', async () => {
    const bytes = randomBytes(900 * KIB)
    const found = await Promise.all(['a', 'b', 'c'].map((name) => uploadOne(name, bytes)))
    expect(found.map(({ id }) => id).sort()).toEqual([1, 2, 3])
    await untilTidy([bytes.length])
    for (const { id } of found) expect((await download(id)).equals(bytes)).toBe(true)
  })

  it('leaves nothing of the first file when the second one is too large', async () => {
    const bytes = randomBytes(limits.fileBytes + 1)
    const failed = upload([
      { name: 'small', bytes: 'x' },
      { name: 'large', bytes },
    ])
    await expect(failed).rejects.toMatchObject({
      code: 'too_large',
      reason: 'ATTACHMENT_TOO_LARGE',
      message: 'Attachments must not exceed 3 MB',
    })
    expect(await list()).toEqual([])
    await untilTidy([])
  })

  it('takes no more than a document may have, and equal bytes count once', async () => {
    const first = randomBytes(limits.fileBytes)
    await uploadOne('first', first)
    const failed = uploadOne('second', randomBytes(limits.fileBytes))
    await expect(failed).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('Exceeded attachments limit for document') as string,
    })
    await uploadOne('third', first)
    expect(await ids()).toEqual([1, 2])
    await untilTidy([first.length])
  })

  it('lets at most as much in as fits when several come at the same moment', async () => {
    const files = Array.from({ length: 4 }, () => randomBytes(2 * 1024 * KIB))
    const sent = await Promise.allSettled(files.map((bytes) => uploadOne('file', bytes)))
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    await untilTidy([2, 2].map((mib) => mib * 1024 * KIB))
  })

  it('leaves nothing when its stream breaks off or ends without saying so', async () => {
    async function* broken() {
      yield* [...messages([{ name: 'a', bytes: randomBytes(500 * KIB) }])].slice(0, -1)
      await Promise.resolve()
      throw new Error('the client has gone')
    }
    await expect(send(broken())).rejects.toThrow()
    const parts = [...messages([{ name: 'a', bytes: 'aaa' }])].slice(0, -1)
    expect(await reasonOf(send(Readable.from(parts)))).toBe('UPLOAD_BROKEN')
    expect(await list()).toEqual([])
    await untilTidy([])
  })

  it('leaves nothing when its caller goes while its bytes are being stored', async () => {
    const controller = new AbortController()
    const call = { ...(await instance.clients.as(doc, 'editors')), signal: controller.signal }
    const parts = messages([{ name: 'a', bytes: randomBytes(limits.fileBytes) }])
    const sent = instance.clients.attachments.uploadAttachment(Readable.from(parts), call)
    const failed = reasonOf(sent)
    await eventually(() => storedFiles().length > 0)
    controller.abort()
    expect(await failed).not.toBe('nothing went wrong')
    expect(await list()).toEqual([])
    await untilTidy([])
  })

  it('is refused before its bytes are read to those who may not write', async () => {
    async function* endless() {
      yield* messages([{ name: 'a', bytes: 'a' }])
      await new Promise(() => {})
    }
    await expect(send(endless(), 'viewers')).rejects.toMatchObject({ code: 'forbidden' })
    expect(staged()).toEqual([])
  })

  it('refuses messages that make no sense', async () => {
    const chunk = { part: { $case: 'chunk' as const, value: Buffer.from('x') } }
    const value = { docId: doc, fileName: 'a\nb', mediaType: '' }
    const named = { part: { $case: 'attachment' as const, value } }
    const other = { part: { $case: 'attachment' as const, value: { ...value, docId: 'x' } } }
    const good = { part: { $case: 'attachment' as const, value: { ...value, fileName: 'a' } } }
    expect(await reasonOf(send(Readable.from([])))).toBe('BAD_FIELD')
    expect(await reasonOf(send(Readable.from([chunk])))).toBe('BAD_FIELD')
    expect(await reasonOf(send(Readable.from([named])))).toBe('INVALID_NAME')
    expect(await reasonOf(send(Readable.from([good, other])))).toBe('BAD_FIELD')
    expect(await reasonOf(send(Readable.from([good, {}])))).toBe('BAD_FIELD')
    await untilTidy([])
  })

  it('happens once with an idempotency key, and asks for the same files again', async () => {
    const options = { ifMatch: [], idempotencyKey: 'once', requestDigest: Buffer.alloc(32) }
    const files = [{ name: 'a.txt', bytes: randomBytes(300 * KIB) }]
    const first = await upload(files, options)
    expect(await upload(files, options)).toEqual(first)
    expect(await ids()).toEqual([1])
    const others = [{ name: 'b.txt', bytes: 'b' }]
    expect(await reasonOf(upload(others, options))).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(await reasonOf(upload(others, { ...options, idempotencyKey: '', ifMatch: ['no'] }))).toBe(
      'DOCUMENT_CHANGED',
    )
    await untilTidy([300 * KIB])
  })

  it('lets other writes of the document go on', async () => {
    await instance.clients.addTable(doc, 'T', { A: 'Int' })
    let isStored = false
    const sent = uploadOne('large', randomBytes(limits.fileBytes)).then(() => (isStored = true))
    let between = 0
    await eventually(() => storedFiles().length > 0)
    while (!isStored) {
      await instance.clients.add(doc, 'T', [{ A: 1 }])
      if (!isStored) between++
    }
    await sent
    expect(between).toBeGreaterThan(0)
  })
})

describe('a download', () => {
  it('gives any range of the bytes', async () => {
    const bytes = randomBytes(700 * KIB)
    const { id } = await uploadOne('a.bin', bytes)
    for (const [offset, length] of [
      [0, 0],
      [0, 1],
      [256 * KIB - 1, 2],
      [256 * KIB, 256 * KIB],
      [600 * KIB, 0],
      [699 * KIB, 5000],
    ] as const) {
      const end = length === 0 ? bytes.length : offset + length
      expect((await download(id, { offset, length })).equals(bytes.subarray(offset, end))).toBe(true)
    }
    expect(await reasonOf(download(id, { offset: 700 * KIB }))).toBe('RANGE_NOT_SATISFIABLE')
    expect(await reasonOf(download(id, { offset: -1 }))).toBe('BAD_FIELD')
    expect(await reasonOf(download(99))).toBe('ATTACHMENT_NOT_FOUND')
  })
})

describe('the listing', () => {
  it('filters, sorts and limits, and writes times as ISO 8601', async () => {
    await upload([
      { name: 'b.txt', bytes: 'bb' },
      { name: 'a.txt', bytes: 'a' },
      { name: 'c.txt', bytes: 'ccc' },
    ])
    const all = await list()
    expect(all.map(({ fields }) => fields.fileName)).toEqual(['b.txt', 'a.txt', 'c.txt'])
    const { timeUploaded } = all[0]?.fields ?? { timeUploaded: '' }
    expect(new Date(timeUploaded).toISOString()).toBe(timeUploaded)
    expect(Math.abs(Date.parse(timeUploaded) - Date.now())).toBeLessThan(60_000)
    expect(Object.keys(all[0]?.fields ?? {})).toEqual(['fileName', 'fileSize', 'timeUploaded'])
    const names = async (request: Partial<ListAttachmentsRequest>) =>
      (await list(request)).map(({ fields }) => fields.fileName)
    expect(await names({ sort: ['fileName'], limit: 2 })).toEqual(['a.txt', 'b.txt'])
    expect(await names({ sort: ['-fileSize'] })).toEqual(['c.txt', 'b.txt', 'a.txt'])
    const filterJson = Buffer.from('{"fileSize":{"gt":1},"id":[1,2]}')
    expect(await names({ filterJson })).toEqual(['b.txt'])
    expect(await reasonOf(list({ sort: ['nope'] }))).toBe('UNKNOWN_SORT_KEY')
    expect(await reasonOf(list({ filterJson: Buffer.from('{"nope":[1]}') }))).toBe('UNKNOWN_COLUMN')
  })
})

describe('unused attachments', () => {
  const remove = async (expiredOnly = false) => {
    const call = await instance.clients.as(doc, 'owners')
    const { attachments } = instance.clients
    return (await attachments.removeUnusedAttachments({ docId: doc, expiredOnly }, call)).removed
  }
  const update = async () => {
    const call = await instance.clients.as(doc, 'editors')
    return (await instance.clients.attachments.updateUsedAttachments({ docId: doc }, call)).changed
  }
  const unused = () => look('SELECT id FROM _grist_Attachments WHERE timeDeleted IS NOT NULL')

  beforeEach(async () => {
    await instance.clients.addTable(doc, 'T', { Pics: 'Attachments', Other: 'Any' })
    await upload(['a', 'b', 'c', 'd'].map((name) => ({ name, bytes: name.repeat(400 * KIB) })))
  })

  it('are those that no cell of attachments holds', async () => {
    await instance.clients.add(doc, 'T', [{ Pics: ['L', 1, 3] }, { Pics: 'text' }, { Other: 2 }])
    expect(await update()).toBe(2)
    expect(unused()).toEqual([2, 4])
    expect(await update()).toBe(0)
    await instance.clients.update(doc, 'T', [{ id: 1, fields: { Pics: ['L', 4] } }])
    expect(await update()).toBe(3)
    expect(unused()).toEqual([1, 2, 3])
  })

  it('are removed with their bytes, and their ids are not given again', async () => {
    await instance.clients.add(doc, 'T', [{ Pics: ['L', 2] }])
    await uploadOne('same as a', 'a'.repeat(400 * KIB))
    await instance.clients.add(doc, 'T', [{ Pics: ['L', 5] }])
    expect(await remove()).toBe(3)
    expect(await ids()).toEqual([2, 5])
    await untilTidy([400 * KIB, 400 * KIB])
    expect((await download(5)).toString('latin1', 0, 2)).toBe('aa')
    await instance.clients.update(doc, 'T', [{ id: 2, fields: { Pics: null } }])
    expect(await remove()).toBe(1)
    expect((await uploadOne('next', 'x')).id).toBe(6)
  })

  it('stay for 7 days when only expired ones are to go', async () => {
    expect(await remove(true)).toBe(0)
    expect(await ids()).toEqual([1, 2, 3, 4])
    expect(unused()).toEqual([1, 2, 3, 4])
  })

  it('are removed step by step when there are many', async () => {
    const many = Array.from({ length: 900 }, (_, i) => ({ name: `${i}`, bytes: `${i % 7}` }))
    await upload(many)
    await instance.clients.add(doc, 'T', [{ Pics: ['L', 700] }])
    expect(await remove()).toBe(903)
    expect(await ids()).toEqual([700])
    await untilTidy([1])
  })

  it('are not those that a cell gets while they are looked for', async () => {
    const rows = Array.from({ length: 3000 }, () => ({ Pics: null }))
    await instance.clients.add(doc, 'T', rows)
    const removed = remove()
    // Into a row that has been looked at already, or not: it must not matter.
    await instance.clients.update(doc, 'T', [
      { id: 1, fields: { Pics: ['L', 1] } },
      { id: 3000, fields: { Pics: ['L', 2] } },
    ])
    await removed
    const kept = new Set(await ids())
    expect(kept.has(1) && kept.has(2)).toBe(true)
  })
})

describe('a long download', () => {
  let usual: TestInstance
  beforeAll(async () => {
    usual = instance
    instance = await TestInstance.start()
  })
  afterAll(async () => {
    await instance[Symbol.asyncDispose]()
    instance = usual
  })

  it('ends with an error when the file is removed while it is read', async () => {
    // More than what is on its way between the two at any moment.
    const { id } = await uploadOne('a.bin', randomBytes(BIG_BYTES))
    const request = DownloadAttachmentRequest.fromPartial({ docId: doc, attachmentId: id })
    const call = await instance.clients.as(doc, 'viewers')
    const read = instance.clients.attachments.downloadAttachment(request, call)
    const rest = read[Symbol.asyncIterator]()
    await rest.next()
    await rest.next()
    const owner = await instance.clients.as(doc, 'owners')
    const unused = { docId: doc, expiredOnly: false }
    await instance.clients.attachments.removeUnusedAttachments(unused, owner)
    await untilTidy([])
    // The id of the file may be given anew, to other bytes.
    await uploadOne('b.bin', randomBytes(BIG_BYTES))
    const readOn = async () => {
      for (let next = await rest.next(); !next.done; next = await rest.next());
    }
    expect(await reasonOf(readOn())).toBe('ATTACHMENT_GONE')
  })
})

describe('verifying', () => {
  const verify = async () => {
    const call = await instance.clients.as(doc, 'owners')
    return (await instance.clients.attachments.readAttachmentsHealth({ docId: doc }, call)).files
  }

  it('names an attachment whose bytes are not what they were', async () => {
    await upload([
      { name: 'a', bytes: 'aaa' },
      { name: 'b', bytes: randomBytes(300 * KIB) },
    ])
    expect(await verify()).toBe(2)
    const db = new Database(fileOf(doc))
    db.prepare('UPDATE _sheaf_file_chunks SET bytes = zeroblob(length(bytes)) WHERE file_id = 2').run()
    db.close()
    await expect(verify()).rejects.toMatchObject({
      reason: 'ATTACHMENT_DAMAGED',
      message: expect.stringContaining('attachment 2') as string,
    })
  })
})

describe('an archive', () => {
  const read = async (format: ArchiveFormat) => {
    const call = await instance.clients.as(doc, 'viewers')
    const request = { docId: doc, format }
    const chunks: Buffer[] = []
    for await (const { chunk } of instance.clients.attachments.readAttachmentsArchive(request, call))
      chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const untar = async (bytes: Buffer) => {
    const files = new Map<string, Buffer>()
    const archive = extract()
    archive.end(bytes)
    for await (const entry of archive)
      files.set(entry.header.name, await buffer(entry as AsyncIterable<Buffer> as Readable))
    return files
  }
  const restore = async (bytes: Buffer) => {
    const parts = [
      { part: { $case: 'docId' as const, value: doc } },
      { part: { $case: 'chunk' as const, value: bytes } },
      { part: { $case: 'complete' as const, value: true } },
    ]
    const call = await instance.clients.as(doc, 'owners')
    return instance.clients.attachments.restoreAttachments(Readable.from(parts), call)
  }

  it('holds every file once, by its hash and name', async () => {
    const bytes = randomBytes(800 * KIB)
    await upload([
      { name: 'a.bin', bytes },
      { name: 'b.bin', bytes },
      { name: 'a.bin', bytes },
      { name: 'é/文.txt', bytes: '' },
    ])
    const files = await untar(await read(ArchiveFormat.TAR))
    const sha1 = createHash('sha1').update(bytes).digest('hex')
    const empty = createHash('sha1').digest('hex')
    expect([...files.keys()]).toEqual([`${sha1}_a.bin`, `${sha1}_b.bin`, `${empty}_文.txt`])
    expect(files.get(`${sha1}_b.bin`)?.equals(bytes)).toBe(true)
    const zip = await read(ArchiveFormat.UNSPECIFIED)
    expect(zip.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04')
    expect(zip.includes(`${empty}_文.txt`)).toBe(true)
  })

  it('of a document without attachments is empty', async () => {
    expect(await untar(await read(ArchiveFormat.TAR))).toEqual(new Map())
    expect((await read(ArchiveFormat.UNSPECIFIED)).subarray(0, 4).toString('latin1')).toBe(
      'PK\x05\x06',
    )
  })

  it('gives attachments that miss their bytes those bytes back', async () => {
    const bytes = randomBytes(600 * KIB)
    await upload([
      { name: 'a.bin', bytes },
      { name: 'b.bin', bytes: 'b' },
    ])
    const tar = await read(ArchiveFormat.TAR)
    expect(await restore(tar)).toEqual({ added: 0, errored: 0, unused: 2 })
    const db = new Database(fileOf(doc))
    db.exec('DELETE FROM _sheaf_attachments WHERE id = 1; DELETE FROM _sheaf_files WHERE id = 1;')
    db.exec('DELETE FROM _sheaf_file_chunks WHERE file_id = 1')
    db.close()
    expect(await reasonOf(download(1))).toBe('ATTACHMENT_MISSING')
    expect(await restore(tar)).toEqual({ added: 1, errored: 0, unused: 1 })
    expect((await download(1)).equals(bytes)).toBe(true)
  })

  it('is refused when it is none', async () => {
    expect(await reasonOf(restore(randomBytes(2000)))).toBe('NO_TAR')
    const tar = pack()
    tar.entry({ name: 'a' }, 'a'.repeat(5000))
    tar.finalize()
    const whole = await buffer(tar as unknown as Readable)
    expect(await reasonOf(restore(whole.subarray(0, 2000)))).toBe('NO_TAR')
    await untilTidy([])
  })
})
