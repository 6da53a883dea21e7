import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { formOf, useOwnAttachments, type FileParts } from '../support/attachments'
import { addRecords, addTable, readRecords } from '../support/system'

const MIB = 1024 * 1024
const files = useOwnAttachments({ SHEAF_MAX_ATTACHMENT_MB: '2', SHEAF_MAX_ATTACHMENTS_MB: '3' })

/** What is stored of files, as somebody who opens the file of the document sees it. */
function storedBytes(): number[] {
  const docId = files.doc.replace('/api/docs/', '')
  const folder = join(files.system.sheaf.dataDir, 'documents')
  const db = new Database(join(folder, docId.slice(0, 2), docId, 'document.sqlite'), {
    readonly: true,
  })
  try {
    const files = db.prepare('SELECT size FROM _sheaf_files ORDER BY size').pluck().all()
    const chunks = db.prepare(
      'SELECT coalesce(sum(octet_length(bytes)), 0) FROM _sheaf_file_chunks',
    )
    const left = readdirSync(join(folder, 'unfinished')).length
    return [...(files as number[]), Number(chunks.pluck().get()), left]
  } finally {
    db.close()
  }
}

const untilStored = (...sizes: number[]) =>
  eventually(
    () =>
      JSON.stringify(storedBytes()) ===
      JSON.stringify([...sizes, sizes.reduce((sum, size) => sum + size, 0), 0]),
  )

/** Sends bytes as they are, on a connection of its own; answers what came back, or nothing when the caller goes. */
async function sendRaw(lines: readonly string[], body: string | Buffer, cut = false) {
  const { hostname, port } = new URL(files.system.sheaf.url)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${files.doc}/attachments HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${files.system.sheaf.ownerKey}`,
    ...lines,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(body)
  if (cut) {
    await eventually(() => socket.bytesWritten > body.length)
    // Not before some of it has been taken.
    await eventually(() => socket.writableLength === 0)
    socket.destroy()
    return ''
  }
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => (answer += text))
  await once(socket, 'close')
  return answer
}

const part = (disposition: string, content: string, more = '') =>
  `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`

const sendForm = (body: string | Buffer, cut = false, length = Buffer.byteLength(body)) =>
  sendRaw(
    ['Content-Type: multipart/form-data; boundary=XX', `Content-Length: ${length}`],
    body,
    cut,
  )

describe('uploads', () => {
  it('are described by their metadata', async () => {
    expect(await files.upload(['a.txt', 'aaa'], ['b.json', '{}', 'application/json'])).toEqual([
      1, 2,
    ])
    expect(await files.upload(['a.txt', 'aaa'])).toEqual([3])
    const times = (await files.list()).map(({ fields }) => String(fields.timeUploaded))
    expect(times.every((time) => new Date(time).toISOString() === time)).toBe(true)
    expect((await files.get('2')).body).toEqual({
      fileName: 'b.json',
      fileSize: 2,
      timeUploaded: times[1],
    })
    expect((await files.list({ sort: '-id', limit: 1 })).map(({ id }) => id)).toEqual([3])
    expect(
      await readRecords(files.system.alice.rest, `${files.doc}/tables/_grist_Attachments`),
    ).toMatchObject([
      { fields: { fileName: 'a.txt', fileExt: '.txt', timeUploaded: Date.parse(times[0] ?? '') } },
      { fields: { fileType: 'application/json' } },
      { fields: { fileIdent: expect.stringMatching(/^[0-9a-f]{40}\.txt$/) as string } },
    ])
    await untilStored(2, 3)
  })

  it('change the tag of the document, and know what it was', async () => {
    const first = await files.post(formOf([['a', 'a']]))
    const tag = first.headers.get('etag') ?? ''
    const listed = await files.system.alice.rest.get(`${files.doc}/attachments`, {
      headers: { 'if-none-match': tag },
    })
    expect(listed.status).toBe(304)
    expect(
      (await files.post(formOf([['b', 'b']]), 'attachments', { 'if-match': tag })).status,
    ).toBe(200)
    expect(
      (await files.post(formOf([['c', 'c']]), 'attachments', { 'if-match': tag })).status,
    ).toBe(412)
    const key = { 'idempotency-key': 'k' }
    expect((await files.post(formOf([['d', 'd']]), 'attachments', key)).body).toEqual([3])
    expect((await files.post(formOf([['d', 'd']]), 'attachments', key)).body).toEqual([3])
    expect((await files.post(formOf([['e', 'd']]), 'attachments', key)).status).toBe(422)
    expect(await files.list()).toHaveLength(3)
  })

  it('keep names in any script, without their folders', async () => {
    const names = [
      'été & co.txt',
      '文書.pdf',
      'وثيقة.docx',
      "👋 'x' ; %41.txt",
      "it's.txt",
      'a\\b.txt',
    ]
    await files.upload(...names.map((name): FileParts => [name, name]))
    expect((await files.list()).map(({ fields }) => fields.fileName)).toEqual([
      ...names.slice(0, 5),
      'b.txt',
    ])
    const { headers } = await files.get('2/download')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename=__.pdf; filename*=UTF-8''%E6%96%87%E6%9B%B8.pdf`,
    )
  })

  it('keep whatever name a client can send', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      // What a client has to write in another form, and what is no part of a name.
      .filter((text) => !/[/\\"\p{Cc}]/u.test(text))
    await fc.assert(
      fc.asyncProperty(name, async (given) => {
        const [id] = await files.upload([given, 'x'])
        expect((await files.get(String(id))).body).toMatchObject({ fileName: given })
        const { status, headers } = await files.get(`${id}/download?inline=1`)
        expect([status, headers.get('content-disposition')?.slice(0, 3)]).toEqual([
          200,
          expect.stringMatching(/^(att|inl)$/),
        ])
      }),
      { numRuns: 40 },
    )
  })

  it.each([
    [
      'a file beyond the limit',
      [['small', 'a'] as const, ['large', randomBytes(2 * MIB + 1)] as const],
      'Attachments must not exceed 2 MB',
    ],
    [
      'more than a document may have',
      [1, 2].map((n) => [`${n}`, randomBytes(2 * MIB)] as const),
      'Exceeded attachments limit for document: all attachments together must not exceed 3 MB',
    ],
  ])('answer 413 to %s, and nothing stays', async (_, sent, error) => {
    const { status, body } = await files.post(formOf(sent))
    expect([status, body.error]).toEqual([413, error])
    expect(await files.list()).toEqual([])
    await untilStored()
  })

  it('that break off leave nothing behind', async () => {
    const body = part('name="upload"; filename="a"', 'a'.repeat(MIB))
    await sendForm(body, true, 2 * MIB)
    await sendForm(`${part('name="upload"; filename="a"', 'a')}--X`, true, 2 * MIB)
    await untilStored()
    expect(await files.list()).toEqual([])
  })

  it.each([
    ['no file', '--XX--\r\n', 'missing payload'],
    ['another field', `${part('name="other"; filename="a"', 'a')}--XX--\r\n`, 'missing payload'],
    ['a field that is no file', `${part('name="upload"', 'a')}--XX--\r\n`, 'missing payload'],
    ['no end', part('name="upload"; filename="a"', 'a'), ''],
    ['no form', 'what is this', ''],
    [
      'a control character in a name',
      `${part('name="upload"; filename="a\x01b"', 'a')}--XX--\r\n`,
      'control characters',
    ],
    [
      'a name without end',
      `${part(`name="upload"; filename="${'n'.repeat(300)}"`, 'a')}--XX--\r\n`,
      'more than 255 characters',
    ],
  ])('with %s are refused', async (_, body, error) => {
    const answer = await sendForm(body)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain(error)
    expect(await files.list()).toEqual([])
  })

  it('with endless parts, fields or headers are refused, or read to their end', async () => {
    const parts = part('name="x"', 'y').repeat(1200)
    expect(await sendForm(`${parts}--XX--\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
    const many = part('name="upload"; filename="a"', '').repeat(1001)
    expect(await sendForm(`${many}--XX--\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
    const headers = part('name="upload"; filename="a"', '', 'X-A: b\r\n'.repeat(5000))
    expect(await sendForm(`${headers}--XX--\r\n`)).toMatch(/^HTTP\/1\.1 [24]\d\d /)
    await untilStored(...((await files.list()).length > 0 ? [0] : []))
  })

  it('of another kind than a form are refused', async () => {
    expect(await files.post({ a: 1 })).toMatchObject({
      status: 415,
      body: { error: 'unsupported content-type "application/json"; send multipart/form-data' },
    })
    const without = await files.post(undefined)
    expect(without.status).toBe(415)
    const unbounded = await files.post('x', 'attachments', {
      'content-type': 'multipart/form-data',
    })
    expect(unbounded.status).toBe(400)
  })

  it('are refused before their body is read to those who may not write', async () => {
    const stranger = createRest(files.system.sheaf.url, 'wrong')
    const body = formOf([['a', 'a']])
    expect((await stranger.post(`${files.doc}/attachments`, { body })).status).toBe(401)
    const refused = await files.system.dan.rest.post(`${files.doc}/attachments`, { body })
    expect(refused).toMatchObject({ status: 403, body: { error: 'No view access' } })
  })
})

describe('unused attachments', () => {
  it('go when asked for, the others stay with their ids', async () => {
    const { rest } = files.system.alice
    await files.upload(['a.txt', 'aaa'], ['b.txt', 'bbbb'], ['c.txt', 'ccccc'])
    const table = `${files.doc}/tables/${await addTable(rest, files.doc, 'T', { Pics: 'Attachments' })}`
    await addRecords(rest, table, [{ Pics: ['L', 2] }])
    expect(await files.post(undefined, 'attachments/updateUsed')).toMatchObject({
      status: 200,
      body: null,
    })
    const rows = await readRecords(rest, `${files.doc}/tables/_grist_Attachments`)
    const since = rows.map(({ fields }) => fields.timeDeleted)
    expect(since).toEqual([expect.any(Number), null, expect.any(Number)])
    expect((await files.post(undefined, 'attachments/removeUnused?expiredonly=1')).status).toBe(200)
    expect(await files.list()).toHaveLength(3)
    expect((await files.post(undefined, 'attachments/removeUnused')).body).toBeNull()
    expect((await files.list()).map(({ id }) => id)).toEqual([2])
    expect((await files.get('1/download')).status).toBe(404)
    expect((await files.post(undefined, 'attachments/verifyFiles')).body).toBeNull()
    await untilStored(4)
  })
})
