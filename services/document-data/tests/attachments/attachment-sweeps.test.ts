import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  ArchiveFormat,
  type RestoreAttachmentsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { eventually } from '@sheaf/testkit/eventually'
import { extract, pack } from 'tar-stream'
import { ZipFile } from 'yazl'
import { reasonOf, TestDocument } from '../support/test-attachments'
import { TestInstance } from '../support/test-instance'

const KIB = 1024
const limits = { fileBytes: 3 * 1024 * KIB, documentBytes: 5 * 1024 * KIB }

let instance: TestInstance
let doc: TestDocument
beforeAll(async () => {
  instance = await TestInstance.start({ attachments: limits })
})
afterAll(() => instance?.[Symbol.asyncDispose]())
beforeEach(async () => {
  doc = await TestDocument.create(instance)
})

describe('unused attachments', () => {
  const remove = async (expiredOnly = false) => {
    const call = await doc.as('owners')
    const { attachments } = instance.clients
    return (await attachments.removeUnusedAttachments({ docId: doc.docId, expiredOnly }, call))
      .removed
  }
  const update = async () => {
    const call = await doc.as('editors')
    return (await instance.clients.attachments.updateUsedAttachments({ docId: doc.docId }, call))
      .changed
  }
  const unused = () => doc.look('SELECT id FROM _grist_Attachments WHERE timeDeleted IS NOT NULL')

  beforeEach(async () => {
    await instance.clients.addTable(doc.docId, 'T', { Pics: 'Attachments', Other: 'Any' })
    await doc.upload(['a', 'b', 'c', 'd'].map((name) => ({ name, bytes: name.repeat(400 * KIB) })))
  })

  it('are those that no cell of attachments holds', async () => {
    await instance.clients.add(doc.docId, 'T', [
      { Pics: ['L', 1, 3] },
      { Pics: 'text' },
      { Other: 2 },
    ])
    expect(await update()).toBe(2)
    expect(unused()).toEqual([2, 4])
    expect(await update()).toBe(0)
    await instance.clients.update(doc.docId, 'T', [{ id: 1, fields: { Pics: ['L', 4] } }])
    expect(await update()).toBe(3)
    expect(unused()).toEqual([1, 2, 3])
  })

  it('are removed with their bytes, and their ids are not given again', async () => {
    await instance.clients.add(doc.docId, 'T', [{ Pics: ['L', 2] }])
    await doc.uploadOne('same as a', 'a'.repeat(400 * KIB))
    await instance.clients.add(doc.docId, 'T', [{ Pics: ['L', 5] }])
    expect(await remove()).toBe(3)
    expect(await doc.ids()).toEqual([2, 5])
    await doc.untilTidy([400 * KIB, 400 * KIB])
    expect((await doc.download(5)).toString('latin1', 0, 2)).toBe('aa')
    await instance.clients.update(doc.docId, 'T', [{ id: 2, fields: { Pics: null } }])
    expect(await remove()).toBe(1)
    expect((await doc.uploadOne('next', 'x')).id).toBe(6)
  })

  it('stay for 7 days when only expired ones are to go', async () => {
    expect(await remove(true)).toBe(0)
    expect(await doc.ids()).toEqual([1, 2, 3, 4])
    expect(unused()).toEqual([1, 2, 3, 4])
  })

  it('are removed step by step when there are many', async () => {
    const many = Array.from({ length: 900 }, (_, i) => ({ name: `${i}`, bytes: `${i % 7}` }))
    await doc.upload(many)
    await instance.clients.add(doc.docId, 'T', [{ Pics: ['L', 700] }])
    expect(await remove()).toBe(903)
    expect(await doc.ids()).toEqual([700])
    await doc.untilTidy([1])
  })

  it('are not those that a cell gets while they are looked for', async () => {
    const rows = Array.from({ length: 3000 }, () => ({ Pics: null }))
    await instance.clients.add(doc.docId, 'T', rows)
    const removed = remove()
    // Into a row that has been looked at already, or not: it must not matter.
    await instance.clients.update(doc.docId, 'T', [
      { id: 1, fields: { Pics: ['L', 1] } },
      { id: 3000, fields: { Pics: ['L', 2] } },
    ])
    await removed
    const kept = new Set(await doc.ids())
    expect(kept.has(1) && kept.has(2)).toBe(true)
  })
})

describe('a document that is open', () => {
  it('has its unused attachments noted by itself, but for new ones', async () => {
    await using often = await TestInstance.start({ idleSeconds: 4 })
    const other = await TestDocument.create(often)
    // Before the document is opened for the first time, since it is looked at only once an hour.
    const insert = 'INSERT INTO _grist_Attachments (fileName, timeUploaded) VALUES (?, ?)'
    other.open((db) => {
      db.prepare(insert).run('old', Date.now() - 2 * 3600 * 1000)
      db.prepare(insert).run('new', Date.now())
    })
    expect(await other.ids()).toEqual([1, 2])
    const unused = 'SELECT id FROM _grist_Attachments WHERE timeDeleted IS NOT NULL'
    await eventually(() => other.look(unused).length > 0)
    expect(other.look(unused)).toEqual([1])
  })
})

describe('verifying', () => {
  const verify = async () => {
    const call = await doc.as('owners')
    return (await instance.clients.attachments.readAttachmentsHealth({ docId: doc.docId }, call))
      .files
  }

  it('names an attachment whose bytes are not what they were', async () => {
    await doc.upload([
      { name: 'a', bytes: 'aaa' },
      { name: 'b', bytes: randomBytes(300 * KIB) },
    ])
    expect(await verify()).toBe(2)
    doc.open((db) =>
      db.exec('UPDATE _sheaf_file_chunks SET bytes = zeroblob(length(bytes)) WHERE file_id = 2'),
    )
    await expect(verify()).rejects.toMatchObject({
      reason: 'ATTACHMENT_DAMAGED',
      message: expect.stringContaining('attachment 2') as string,
    })
  })
})

describe('an archive', () => {
  const read = async (format: ArchiveFormat) => {
    const call = await doc.as('viewers')
    const request = { docId: doc.docId, format }
    const chunks: Buffer[] = []
    for await (const { chunk } of instance.clients.attachments.readAttachmentsArchive(
      request,
      call,
    ))
      chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const untar = async (bytes: Buffer) => {
    const files = new Map<string, Buffer>()
    const archive = extract()
    archive.end(bytes)
    for await (const entry of archive) files.set(entry.header.name, await buffer(entry))
    return files
  }
  function* messages(bytes: Buffer): Generator<RestoreAttachmentsRequest> {
    yield { part: { $case: 'docId', value: doc.docId } }
    for (let at = 0; at < bytes.length; at += 64 * KIB)
      yield { part: { $case: 'chunk', value: bytes.subarray(at, at + 64 * KIB) } }
  }
  const restore = async (bytes: Buffer) => {
    const parts = [...messages(bytes), { part: { $case: 'complete' as const, value: true } }]
    const call = await doc.as('owners')
    return instance.clients.attachments.restoreAttachments(Readable.from(parts), call)
  }
  const tarOf = (files: readonly Uint8Array[]) => {
    const tar = pack()
    files.forEach((bytes, i) => tar.entry({ name: `${i}` }, Buffer.from(bytes)))
    tar.finalize()
    return buffer(tar)
  }
  const loseBytes = (id: number) =>
    doc.open((db) => {
      db.prepare('DELETE FROM _sheaf_attachments WHERE id = ?').run(id)
      db.prepare('DELETE FROM _sheaf_files WHERE id = ?').run(id)
      db.prepare('DELETE FROM _sheaf_file_chunks WHERE file_id = ?').run(id)
    })

  it('holds every file once, by its hash and name', async () => {
    const bytes = randomBytes(800 * KIB)
    await doc.upload([
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

  it('of many files collects no listeners', async () => {
    const counts: number[] = []
    const real: ZipFile['addReadStream'] = Reflect.get(ZipFile.prototype, 'addReadStream')
    const spy = jest.spyOn(ZipFile.prototype, 'addReadStream')
    spy.mockImplementation(function (this: ZipFile, ...args) {
      counts.push((this.outputStream as Readable).listenerCount('close'))
      real.apply(this, args)
    })
    const names = Array.from({ length: 15 }, (_, i) => `${i}`)
    await doc.upload(names.map((name) => ({ name, bytes: name })))
    await read(ArchiveFormat.UNSPECIFIED)
    spy.mockRestore()
    expect(counts).toHaveLength(15)
    expect(Math.max(...counts)).toBeLessThan(10)
  })

  it('of a document without attachments is empty', async () => {
    expect(await untar(await read(ArchiveFormat.TAR))).toEqual(new Map())
    expect((await read(ArchiveFormat.UNSPECIFIED)).subarray(0, 4).toString('latin1')).toBe(
      'PK\x05\x06',
    )
  })

  it('gives attachments that miss their bytes those bytes back', async () => {
    const bytes = randomBytes(600 * KIB)
    await doc.upload([
      { name: 'a.bin', bytes },
      { name: 'b.bin', bytes: 'b' },
    ])
    const tar = await read(ArchiveFormat.TAR)
    expect(await restore(tar)).toEqual({ added: 0, errored: 0, unused: 2 })
    loseBytes(1)
    expect(await reasonOf(doc.download(1))).toBe('ATTACHMENT_MISSING')
    expect(await restore(tar)).toEqual({ added: 1, errored: 0, unused: 1 })
    expect((await doc.download(1)).equals(bytes)).toBe(true)
  })

  it.each([
    ['first', 0],
    ['in the middle', 1],
    ['last', 2],
  ])('with a file that is too large %s gives back all others, and ends', async (_, at) => {
    const [a, b] = [randomBytes(600 * KIB), randomBytes(100 * KIB)]
    await doc.upload([
      { name: 'a.bin', bytes: a },
      { name: 'b.bin', bytes: b },
    ])
    loseBytes(1)
    const files = [a, b]
    files.splice(at, 0, Buffer.alloc(limits.fileBytes + 200 * KIB))
    expect(await restore(await tarOf(files))).toEqual({ added: 1, errored: 1, unused: 1 })
    expect((await doc.download(1)).equals(a)).toBe(true)
    await doc.untilTidy([100 * KIB, 600 * KIB])
  })

  it('whose sender goes away in the middle of a file leaves nothing', async () => {
    const [docId, ...chunks] = messages(await tarOf([randomBytes(600 * KIB)]))
    const controller = new AbortController()
    async function* parts() {
      if (docId) yield docId
      yield* chunks.slice(0, 3)
      await eventually(() => doc.staged().length > 0)
      controller.abort()
      await new Promise(() => {})
    }
    const call = { ...(await doc.as('owners')), signal: controller.signal }
    const sent = instance.clients.attachments.restoreAttachments(parts(), call)
    expect(await reasonOf(sent)).not.toBe('nothing went wrong')
    await doc.untilTidy([])
  })

  it('that comes with an upload at once leaves no more bytes than a document may have', async () => {
    const bytes = randomBytes(2900 * KIB)
    await doc.upload([{ name: 'a.bin', bytes }])
    loseBytes(1)
    const tar = await tarOf([bytes])
    await Promise.allSettled([
      restore(tar),
      doc.upload([{ name: 'b.bin', bytes: randomBytes(2900 * KIB) }]),
    ])
    await doc.untilTidy([2900 * KIB])
  })

  it('is refused when it is none', async () => {
    expect(await reasonOf(restore(randomBytes(2000)))).toBe('NO_TAR')
    const tar = pack()
    tar.entry({ name: 'a' }, 'a'.repeat(5000))
    tar.finalize()
    const whole = await buffer(tar)
    expect(await reasonOf(restore(whole.subarray(0, 2000)))).toBe('NO_TAR')
    await doc.untilTidy([])
  })

  it('is refused, and not a failure, when a header is too large or its size means nothing', async () => {
    const largePax = pack()
    largePax.entry({ name: 'a', pax: { comment: 'x'.repeat(20 * 1024 * KIB) } }, 'a')
    largePax.finalize()
    expect(await reasonOf(restore(await buffer(largePax)))).toBe('NO_TAR')
    const badPax = pack()
    badPax.entry({ name: 'a', pax: { size: 'many' } }, 'a')
    badPax.finalize()
    expect(await reasonOf(restore(await buffer(badPax)))).toBe('NO_TAR')
    for (const lead of [0x81, 0xff]) expect(await reasonOf(restore(sized(lead)))).toBe('NO_TAR')
    await doc.untilTidy([])
  })

  /** A tar whose file has a size in binary that begins with this byte. */
  function sized(lead: number): Buffer {
    const header = Buffer.alloc(512)
    header.write('a')
    header.write('ustar\x0000', 257, 'latin1')
    header.write('0', 156)
    header.fill(1, 124, 136)
    header[124] = lead
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return Buffer.concat([header, Buffer.alloc(2048)])
  }
})
