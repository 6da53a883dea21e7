import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  DownloadAttachmentRequest,
  type ListAttachmentsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { eventually } from '@sheaf/testkit/eventually'
import { reasonOf, TestDocument } from '../support/test-attachments'
import { TestInstance } from '../support/test-instance'

const KIB = 1024
// A file takes dozens of transactions, so that there is time to do something meanwhile.
const limits = { fileBytes: 24 * 1024 * KIB, documentBytes: 40 * 1024 * KIB }
const BIG_BYTES = 20 * 1024 * KIB

let instance: TestInstance
let doc: TestDocument
beforeAll(async () => {
  instance = await TestInstance.start({ attachments: limits })
})
afterAll(() => instance?.[Symbol.asyncDispose]())
beforeEach(async () => {
  doc = await TestDocument.create(instance)
})

describe('an upload', () => {
  it('attaches files with a row each, in their order', async () => {
    const { attachments, seq } = await doc.upload([
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
    expect((await doc.download(1)).toString()).toBe('aaa')
    expect(await doc.download(3)).toHaveLength(0)
    await doc.untilTidy([3, 2, 0])
  })

  it('is one entry of the log, whatever it brings', async () => {
    await doc.upload([
      { name: 'a.bin', bytes: randomBytes(1500 * KIB) },
      { name: 'b.bin', bytes: randomBytes(700 * KIB) },
    ])
    const request = ReadChangesRequest.fromPartial({ docId: doc.docId, afterSeq: 1 })
    const call = await doc.as('viewers')
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
    await doc.upload([
      { name: 'a.bin', bytes },
      { name: 'b.bin', bytes },
    ])
    const again = await doc.uploadOne('c.png', bytes)
    expect(again.id).toBe(3)
    expect(again.fileIdent).toMatch(/\.png$/)
    await doc.untilTidy([bytes.length])
    expect((await doc.download(2)).equals(bytes)).toBe(true)
    expect((await doc.download(3)).equals(bytes)).toBe(true)
  })

  it('keeps equal bytes once when they come at the same moment', async () => {
    const bytes = randomBytes(900 * KIB)
    const found = await Promise.all(['a', 'b', 'c'].map((name) => doc.uploadOne(name, bytes)))
    expect(found.map(({ id }) => id).sort()).toEqual([1, 2, 3])
    await doc.untilTidy([bytes.length])
    for (const { id } of found) expect((await doc.download(id)).equals(bytes)).toBe(true)
  })

  it('leaves nothing of the first file when the second one is too large', async () => {
    const bytes = randomBytes(limits.fileBytes + 1)
    const failed = doc.upload([
      { name: 'small', bytes: 'x' },
      { name: 'large', bytes },
    ])
    await expect(failed).rejects.toMatchObject({
      code: 'too_large',
      reason: 'ATTACHMENT_TOO_LARGE',
      message: 'Attachments must not exceed 24 MB',
    })
    expect(await doc.list()).toEqual([])
    await doc.untilTidy([])
  })

  it('takes no more than a document may have, and equal bytes count once', async () => {
    const first = randomBytes(limits.fileBytes)
    await doc.uploadOne('first', first)
    const failed = doc.uploadOne('second', randomBytes(limits.fileBytes))
    await expect(failed).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('Exceeded attachments limit for document') as string,
    })
    await doc.uploadOne('third', first)
    expect(await doc.ids()).toEqual([1, 2])
    await doc.untilTidy([first.length])
  })

  it('lets at most as much in as fits when several come at the same moment', async () => {
    const size = 16 * 1024 * KIB
    const files = Array.from({ length: 4 }, () => randomBytes(size))
    const sent = await Promise.allSettled(files.map((bytes) => doc.uploadOne('file', bytes)))
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    await doc.untilTidy([size, size])
  })

  it('leaves nothing when its stream breaks off or ends without saying so', async () => {
    async function* broken() {
      yield* [...doc.messages([{ name: 'a', bytes: randomBytes(500 * KIB) }])].slice(0, -1)
      await Promise.resolve()
      throw new Error('the client has gone')
    }
    await expect(doc.send(broken())).rejects.toThrow()
    const parts = [...doc.messages([{ name: 'a', bytes: 'aaa' }])].slice(0, -1)
    expect(await reasonOf(doc.send(Readable.from(parts)))).toBe('UPLOAD_BROKEN')
    expect(await doc.list()).toEqual([])
    await doc.untilTidy([])
  })

  it('leaves nothing when its caller goes while its bytes are being stored', async () => {
    const controller = new AbortController()
    const call = { ...(await doc.as('editors')), signal: controller.signal }
    const parts = doc.messages([{ name: 'a', bytes: randomBytes(limits.fileBytes) }])
    const sent = instance.clients.attachments.uploadAttachment(Readable.from(parts), call)
    const failed = reasonOf(sent)
    await eventually(() => doc.stored().length > 0, { everyMs: 1 })
    controller.abort()
    expect(await failed).not.toBe('nothing went wrong')
    expect(await doc.list()).toEqual([])
    await doc.untilTidy([])
  })

  it('is refused before its bytes are read to those who may not write', async () => {
    async function* endless() {
      yield* doc.messages([{ name: 'a', bytes: 'a' }])
      await new Promise(() => {})
    }
    await expect(doc.send(endless(), 'viewers')).rejects.toMatchObject({ code: 'forbidden' })
    expect(doc.staged()).toEqual([])
  })

  it('refuses messages that make no sense', async () => {
    const chunk = { part: { $case: 'chunk' as const, value: Buffer.from('x') } }
    const value = { docId: doc.docId, fileName: 'a\nb', mediaType: '' }
    const named = { part: { $case: 'attachment' as const, value } }
    const other = { part: { $case: 'attachment' as const, value: { ...value, docId: 'x' } } }
    const good = { part: { $case: 'attachment' as const, value: { ...value, fileName: 'a' } } }
    expect(await reasonOf(doc.send(Readable.from([])))).toBe('UPLOAD_BROKEN')
    expect(await reasonOf(doc.send(Readable.from([chunk])))).toBe('BAD_FIELD')
    expect(await reasonOf(doc.send(Readable.from([named])))).toBe('INVALID_NAME')
    expect(await reasonOf(doc.send(Readable.from([good, other])))).toBe('BAD_FIELD')
    expect(await reasonOf(doc.send(Readable.from([good, {}])))).toBe('BAD_FIELD')
    await doc.untilTidy([])
  })

  it('happens once with an idempotency key, and asks for the same files again', async () => {
    const requestDigest = Buffer.alloc(32)
    const options = {
      ifMatch: [],
      idempotencyKey: 'once',
      requestDigest,
      strict: false,
      dryRun: false,
    }
    const files = [{ name: 'a.txt', bytes: randomBytes(300 * KIB) }]
    const first = await doc.upload(files, options)
    expect(await doc.upload(files, options)).toEqual(first)
    expect(await doc.ids()).toEqual([1])
    const others = [{ name: 'b.txt', bytes: 'b' }]
    expect(await reasonOf(doc.upload(others, options))).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(
      await reasonOf(doc.upload(others, { ...options, idempotencyKey: '', ifMatch: ['no'] })),
    ).toBe('DOCUMENT_CHANGED')
    expect(await reasonOf(doc.upload(others, { ...options, dryRun: true }))).toBe('BAD_FIELD')
    await doc.untilTidy([300 * KIB])
  })

  it('lets other writes of the document go on', async () => {
    await instance.clients.addTable(doc.docId, 'T', { A: 'Int' })
    let isStored = false
    const sent = doc.uploadOne('large', randomBytes(limits.fileBytes)).then(() => (isStored = true))
    let between = 0
    await eventually(() => doc.stored().length > 0, { everyMs: 1 })
    while (!isStored) {
      await instance.clients.add(doc.docId, 'T', [{ A: 1 }])
      if (!isStored) between++
    }
    await sent
    expect(between).toBeGreaterThan(0)
  })
})

describe('a download', () => {
  it('gives any range of the bytes', async () => {
    const bytes = randomBytes(700 * KIB)
    const { id } = await doc.uploadOne('a.bin', bytes)
    for (const [offset, length] of [
      [0, 0],
      [0, 1],
      [256 * KIB - 1, 2],
      [256 * KIB, 256 * KIB],
      [600 * KIB, 0],
      [699 * KIB, 5000],
    ] as const) {
      const end = length === 0 ? bytes.length : offset + length
      expect((await doc.download(id, { offset, length })).equals(bytes.subarray(offset, end))).toBe(
        true,
      )
    }
    expect(await reasonOf(doc.download(id, { offset: 700 * KIB }))).toBe('RANGE_NOT_SATISFIABLE')
    expect(await reasonOf(doc.download(id, { offset: -1 }))).toBe('BAD_FIELD')
    expect(await reasonOf(doc.download(99))).toBe('ATTACHMENT_NOT_FOUND')
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
    const { id } = await doc.uploadOne('a.bin', randomBytes(BIG_BYTES))
    const request = DownloadAttachmentRequest.fromPartial({ docId: doc.docId, attachmentId: id })
    const call = await doc.as('viewers')
    const read = instance.clients.attachments.downloadAttachment(request, call)
    const rest = read[Symbol.asyncIterator]()
    await rest.next()
    await rest.next()
    const owner = await doc.as('owners')
    const unused = { docId: doc.docId, expiredOnly: false }
    await instance.clients.attachments.removeUnusedAttachments(unused, owner)
    await doc.untilTidy([])
    // The id of the file may be given anew, to other bytes.
    await doc.uploadOne('b.bin', randomBytes(BIG_BYTES))
    const readOn = async () => {
      for (let next = await rest.next(); !next.done; next = await rest.next());
    }
    expect(await reasonOf(readOn())).toBe('ATTACHMENT_GONE')
  })
})

describe('the listing', () => {
  it('filters, sorts and limits, and writes times as ISO 8601', async () => {
    await doc.upload([
      { name: 'b.txt', bytes: 'bb' },
      { name: 'a.txt', bytes: 'a' },
      { name: 'c.txt', bytes: 'ccc' },
    ])
    const all = await doc.list()
    expect(all.map(({ fields }) => fields.fileName)).toEqual(['b.txt', 'a.txt', 'c.txt'])
    const { timeUploaded } = all[0]?.fields ?? { timeUploaded: '' }
    expect(new Date(timeUploaded).toISOString()).toBe(timeUploaded)
    expect(Math.abs(Date.parse(timeUploaded) - Date.now())).toBeLessThan(60_000)
    expect(Object.keys(all[0]?.fields ?? {})).toEqual(['fileName', 'fileSize', 'timeUploaded'])
    const names = async (request: Partial<ListAttachmentsRequest>) =>
      (await doc.list(request)).map(({ fields }) => fields.fileName)
    expect(await names({ sort: ['fileName'], limit: 2 })).toEqual(['a.txt', 'b.txt'])
    expect(await names({ sort: ['-fileSize'] })).toEqual(['c.txt', 'b.txt', 'a.txt'])
    const filterJson = Buffer.from('{"fileSize":{"gt":1},"id":[1,2]}')
    expect(await names({ filterJson })).toEqual(['b.txt'])
    expect(await reasonOf(doc.list({ sort: ['nope'] }))).toBe('UNKNOWN_SORT_KEY')
    expect(await reasonOf(doc.list({ filterJson: Buffer.from('{"nope":[1]}') }))).toBe(
      'UNKNOWN_COLUMN',
    )
  })
})
