import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const MIB = 1024 * 1024
const env = { SHEAF_MAX_ATTACHMENT_MB: '2', SHEAF_MAX_ATTACHMENTS_MB: '3' }
const system = useSystem({ env })
let doc = ''
beforeEach(async () => {
  doc = await newDocument(system.alice.rest)
})

type FileParts = readonly [name: string, content: string | Uint8Array, type?: string]

function formOf(files: readonly FileParts[], field = 'upload'): FormData {
  const form = new FormData()
  for (const [name, content, type = ''] of files)
    form.append(field, new File([content], name, { type }))
  return form
}

const post = (body: unknown, path = 'attachments', headers: Record<string, string> = {}) =>
  system.alice.rest.post<{ error: string }>(`${doc}/${path}`, { body, headers })

async function upload(...files: FileParts[]): Promise<number[]> {
  const { status, body } = await post(formOf(files))
  if (status !== 200) throw new Error(`an upload answered ${status}: ${body.error}`)
  return body as unknown as number[]
}

const get = (path: string, headers: Record<string, string> = {}) =>
  system.alice.rest.get<{ error: string }>(`${doc}/attachments/${path}`, { headers })

interface Listed {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

async function list(query: Record<string, unknown> = {}): Promise<readonly Listed[]> {
  const listed = await system.alice.rest.get<{ records: Listed[] }>(`${doc}/attachments`, { query })
  return listed.body.records
}

/** What is stored of files, as somebody who opens the file of the document sees it. */
function storedBytes(): number[] {
  const docId = doc.replace('/api/docs/', '')
  const folder = join(system.sheaf.dataDir, 'documents')
  const db = new Database(join(folder, docId.slice(0, 2), docId, 'document.sqlite'), {
    readonly: true,
  })
  try {
    const files = db.prepare('SELECT size FROM _sheaf_files ORDER BY size').pluck().all()
    const chunks = db.prepare('SELECT coalesce(sum(octet_length(bytes)), 0) FROM _sheaf_file_chunks')
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
  const { hostname, port } = new URL(system.sheaf.url)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${doc}/attachments HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${system.sheaf.ownerKey}`,
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
    expect(await upload(['a.txt', 'aaa'], ['b.json', '{}', 'application/json'])).toEqual([1, 2])
    expect(await upload(['a.txt', 'aaa'])).toEqual([3])
    const times = (await list()).map(({ fields }) => String(fields.timeUploaded))
    expect(times.every((time) => new Date(time).toISOString() === time)).toBe(true)
    expect((await get('2')).body).toEqual({
      fileName: 'b.json',
      fileSize: 2,
      timeUploaded: times[1],
    })
    expect((await list({ sort: '-id', limit: 1 })).map(({ id }) => id)).toEqual([3])
    expect(await readRecords(system.alice.rest, `${doc}/tables/_grist_Attachments`)).toMatchObject([
      { fields: { fileName: 'a.txt', fileExt: '.txt', timeUploaded: Date.parse(times[0] ?? '') } },
      { fields: { fileType: 'application/json' } },
      { fields: { fileIdent: expect.stringMatching(/^[0-9a-f]{40}\.txt$/) as string } },
    ])
    await untilStored(2, 3)
  })

  it('change the tag of the document, and know what it was', async () => {
    const first = await post(formOf([['a', 'a']]))
    const tag = first.headers.get('etag') ?? ''
    const listed = await system.alice.rest.get(`${doc}/attachments`, {
      headers: { 'if-none-match': tag },
    })
    expect(listed.status).toBe(304)
    expect((await post(formOf([['b', 'b']]), 'attachments', { 'if-match': tag })).status).toBe(200)
    expect((await post(formOf([['c', 'c']]), 'attachments', { 'if-match': tag })).status).toBe(412)
    const key = { 'idempotency-key': 'k' }
    expect((await post(formOf([['d', 'd']]), 'attachments', key)).body).toEqual([3])
    expect((await post(formOf([['d', 'd']]), 'attachments', key)).body).toEqual([3])
    expect((await post(formOf([['e', 'd']]), 'attachments', key)).status).toBe(422)
    expect(await list()).toHaveLength(3)
  })

  it('keep names in any script, without their folders', async () => {
    const names = ['été & co.txt', '文書.pdf', 'وثيقة.docx', '👋 \'x\' ; %41.txt', "it's.txt", 'a\\b.txt']
    await upload(...names.map((name): FileParts => [name, name]))
    expect((await list()).map(({ fields }) => fields.fileName)).toEqual([
      ...names.slice(0, 5),
      'b.txt',
    ])
    const { headers } = await get('2/download')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="??.pdf"; filename*=UTF-8''%E6%96%87%E6%9B%B8.pdf`,
    )
  })

  it('keep whatever name a client can send', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      // What a client has to write in another form, and what is no part of a name.
      .filter((text) => !/[/\\"\p{Cc}]/u.test(text))
    await fc.assert(
      fc.asyncProperty(name, async (given) => {
        const [id] = await upload([given, 'x'])
        expect((await get(String(id))).body).toMatchObject({ fileName: given })
        const { status, headers } = await get(`${id}/download?inline=1`)
        expect([status, headers.get('content-disposition')?.slice(0, 3)]).toEqual([
          200,
          expect.stringMatching(/^(att|inl)$/),
        ])
      }),
      { numRuns: 40 },
    )
  })

  it.each([
    ['a file beyond the limit', [['small', 'a'] as const, ['large', randomBytes(2 * MIB + 1)] as const], 'Attachments must not exceed 2 MB'],
    ['more than a document may have', [1, 2].map((n) => [`${n}`, randomBytes(2 * MIB)] as const), 'Exceeded attachments limit for document: all together must not exceed 3 MB'],
  ])('answer 413 to %s, and nothing stays', async (_, files, error) => {
    const { status, body } = await post(formOf(files))
    expect([status, body.error]).toEqual([413, error])
    expect(await list()).toEqual([])
    await untilStored()
  })

  it('that break off leave nothing behind', async () => {
    const body = part('name="upload"; filename="a"', 'a'.repeat(MIB))
    await sendForm(body, true, 2 * MIB)
    await sendForm(`${part('name="upload"; filename="a"', 'a')}--X`, true, 2 * MIB)
    await untilStored()
    expect(await list()).toEqual([])
  })

  it.each([
    ['no file', '--XX--\r\n', 'missing payload'],
    ['another field', `${part('name="other"; filename="a"', 'a')}--XX--\r\n`, 'missing payload'],
    ['a field that is no file', `${part('name="upload"', 'a')}--XX--\r\n`, 'missing payload'],
    ['no end', part('name="upload"; filename="a"', 'a'), ''],
    ['no form', 'what is this', ''],
    ['a control character in a name', `${part('name="upload"; filename="a\x01b"', 'a')}--XX--\r\n`, 'control characters'],
    ['a name without end', `${part(`name="upload"; filename="${'n'.repeat(300)}"`, 'a')}--XX--\r\n`, 'longer than 255'],
  ])('with %s are refused', async (_, body, error) => {
    const answer = await sendForm(body)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain(error)
    expect(await list()).toEqual([])
  })

  it('with endless parts, fields or headers are refused, or read to their end', async () => {
    const parts = part('name="x"', 'y').repeat(1200)
    expect(await sendForm(`${parts}--XX--\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
    const files = part('name="upload"; filename="a"', '').repeat(1001)
    expect(await sendForm(`${files}--XX--\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
    const headers = part('name="upload"; filename="a"', '', 'X-A: b\r\n'.repeat(5000))
    expect(await sendForm(`${headers}--XX--\r\n`)).toMatch(/^HTTP\/1\.1 [24]\d\d /)
    await untilStored(...((await list()).length > 0 ? [0] : []))
  })

  it('of another kind than a form are refused', async () => {
    expect(await post({ a: 1 })).toMatchObject({
      status: 415,
      body: { error: 'unsupported content-type' },
    })
    const without = await post(undefined)
    expect(without.status).toBe(415)
    const unbounded = await post('x', 'attachments', { 'content-type': 'multipart/form-data' })
    expect(unbounded.status).toBe(400)
  })

  it('are refused before their body is read to those who may not write', async () => {
    const stranger = createRest(system.sheaf.url, 'wrong')
    const body = formOf([['a', 'a']])
    expect((await stranger.post(`${doc}/attachments`, { body })).status).toBe(401)
    const refused = await system.dan.rest.post(`${doc}/attachments`, { body })
    expect(refused).toMatchObject({ status: 403, body: { error: 'No view access' } })
  })
})

describe('downloads', () => {
  it('have headers that let nothing run', async () => {
    await upload(['a.txt', 'hello'], ['b.html', '<script>'], ['c.svg', '<svg>'], ['d.png', 'png'])
    const { headers, text } = await get('1/download')
    expect(text).toBe('hello')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="?a\.txt"?$/) as string,
      'cache-control': 'private, max-age=3600',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'content-length': '5',
    })
    const shown = await Promise.all([1, 2, 3, 4].map((id) => get(`${id}/download?inline=1`)))
    expect(shown.map((answer) => answer.headers.get('content-disposition')?.split(';')[0])).toEqual(
      ['inline', 'attachment', 'attachment', 'inline'],
    )
    expect(shown.map((answer) => answer.headers.get('content-type'))).toEqual([
      'text/plain; charset=utf-8',
      'text/html; charset=utf-8',
      'image/svg+xml',
      'image/png',
    ])
  })

  it('are named by the request, by the file, or by its media type', async () => {
    await upload(['noext', 'a', 'text/plain'], ['a.txt', 'a'])
    const named = async (path: string) =>
      (await get(path)).headers.get('content-disposition')?.replaceAll('"', '')
    expect(await named('1/download')).toBe('attachment; filename=noext.txt')
    expect(await named('2/download?name=x%22y.bin')).toBe('attachment; filename=x\\y.bin')
    expect(await named('2/download?name=a%0d%0aSet-Cookie:b')).toBe(
      'attachment; filename=a__Set-Cookie:b',
    )
  })

  it('give the range that is asked for', async () => {
    const bytes = randomBytes(700_000)
    await upload(['a.bin', bytes])
    const whole = await get('1/download')
    expect(whole.raw.equals(bytes)).toBe(true)
    const tag = whole.headers.get('etag') ?? ''
    const ranged = async (range: string, more = {}) => {
      const { status, headers, raw } = await get('1/download', { range, ...more })
      return { status, range: headers.get('content-range'), raw }
    }
    const found = await ranged('bytes=262140-262149')
    expect(found).toMatchObject({ status: 206, range: 'bytes 262140-262149/700000' })
    expect(found.raw.equals(bytes.subarray(262_140, 262_150))).toBe(true)
    expect((await ranged('bytes=-3')).raw.equals(bytes.subarray(-3))).toBe(true)
    expect(await ranged('bytes=699999-')).toMatchObject({ status: 206 })
    expect(await ranged('bytes=700000-')).toMatchObject({ status: 416, range: 'bytes */700000' })
    expect(await ranged('bytes=0-1,5-6')).toMatchObject({ status: 200 })
    expect(await ranged('lines=1-2')).toMatchObject({ status: 200 })
    expect(await ranged('bytes=0-1', { 'if-range': tag })).toMatchObject({ status: 206 })
    expect(await ranged('bytes=0-1', { 'if-range': '"other"' })).toMatchObject({ status: 200 })
    expect((await get('1/download', { 'if-none-match': tag })).status).toBe(304)
  })

  it('of an empty file are empty', async () => {
    await upload(['a.txt', ''])
    const { status, raw } = await get('1/download')
    expect([status, raw.length]).toEqual([200, 0])
    expect((await get('1/download', { range: 'bytes=0-' })).status).toBe(416)
  })

  it('say what is wrong with the request', async () => {
    await upload(['a.txt', 'a'])
    const error = async (path: string) => {
      const { status, body } = await get(path)
      return [status, body.error]
    }
    expect(await error('99')).toEqual([404, 'Attachment not found: 99'])
    expect(await error('0/download')).toEqual([404, 'Attachment not found: 0'])
    expect(await error('-1/download')).toEqual([404, 'Attachment not found: -1'])
    expect(await error('abc')).toEqual([
      400,
      'attachmentId parameter cannot be understood as an integer: abc',
    ])
    expect(await error('1/download?tableId=T')).toEqual([
      400,
      'define all of tableId, colId and rowId, or none.',
    ])
    expect((await get('1/download?tableId=T&colId=A&rowId=1&maybeNew=1')).status).toBe(200)
  })
})

describe('unused attachments', () => {
  it('go when asked for, the others stay with their ids', async () => {
    const { rest } = system.alice
    await upload(['a.txt', 'aaa'], ['b.txt', 'bbbb'], ['c.txt', 'ccccc'])
    const table = `${doc}/tables/${await addTable(rest, doc, 'T', { Pics: 'Attachments' })}`
    await addRecords(rest, table, [{ Pics: ['L', 2] }])
    expect(await post(undefined, 'attachments/updateUsed')).toMatchObject({
      status: 200,
      body: null,
    })
    const rows = await readRecords(rest, `${doc}/tables/_grist_Attachments`)
    const since = rows.map(({ fields }) => fields.timeDeleted)
    expect(since).toEqual([expect.any(Number), null, expect.any(Number)])
    expect((await post(undefined, 'attachments/removeUnused?expiredonly=1')).status).toBe(200)
    expect(await list()).toHaveLength(3)
    expect((await post(undefined, 'attachments/removeUnused')).body).toBeNull()
    expect((await list()).map(({ id }) => id)).toEqual([2])
    expect((await get('1/download')).status).toBe(404)
    expect((await post(undefined, 'attachments/verifyFiles')).body).toBeNull()
    await untilStored(4)
  })
})

describe('a copy of a document', () => {
  it('has its files, and a copy as a template none', async () => {
    await upload(['a.txt', 'aaa'])
    const { rest } = system.alice
    const { body: described } = await rest.get<{ workspace: { id: number } }>(doc)
    const copy = async (asTemplate: boolean) => {
      const body = { workspaceId: described.workspace.id, documentName: 'Copy', asTemplate }
      return (await rest.post<string>(`${doc}/copy`, { body })).body
    }
    const whole = await rest.get(`/api/docs/${await copy(false)}/attachments/1/download`)
    expect(whole.text).toBe('aaa')
    const listed = await rest.get<{ records: [] }>(`/api/docs/${await copy(true)}/attachments`)
    expect(listed.body.records).toEqual([])
  })
})

describe('archives and stores', () => {
  it('give all files at once', async () => {
    await upload(['a.txt', 'aaa'], ['b.txt', 'bbb'])
    const zip = await get('archive')
    expect(zip.headers.get('content-type')).toBe('application/zip')
    expect(zip.headers.get('content-disposition')).toContain('Test-Attachments.zip')
    expect(zip.headers.get('cache-control')).toBe('no-store')
    expect(zip.raw.toString('latin1')).toMatch(/[0-9a-f]{40}_a\.txt[^]*[0-9a-f]{40}_b\.txt/)
    const tar = await get('archive?format=tar')
    expect(tar.raw.toString('latin1', 257, 262)).toBe('ustar')
    expect(await get('archive?format=foo')).toMatchObject({
      status: 400,
      body: { error: 'format parameter should be one of zip,tar: foo' },
    })
    const restored = await post(formOf([['x.tar', tar.raw]], 'file'), 'attachments/archive')
    expect(restored.body).toEqual({ added: 0, errored: 0, unused: 2 })
    const junk = await post(formOf([['x.tar', randomBytes(3000)]]), 'attachments/archive')
    expect(junk).toMatchObject({ status: 400, body: { error: 'File is not a valid .tar' } })
    const none = await post(formOf([['x.zip', tar.raw]]), 'attachments/archive')
    expect(none).toMatchObject({ status: 400, body: { error: 'No .tar file found in request' } })
  })

  it('tell that files lie in their document', async () => {
    expect((await get('store')).body).toEqual({ type: 'internal' })
    expect((await get('stores')).body).toEqual({ stores: [] })
    expect((await get('transferStatus')).body).toMatchObject({ locationSummary: 'internal' })
    expect((await post(undefined, 'attachments/transferAll')).status).toBe(200)
    expect((await post({ type: 'internal' }, 'attachments/store')).status).toBe(200)
    const external = await post({ type: 'external' }, 'attachments/store')
    expect(external).toMatchObject({
      status: 400,
      body: { error: 'server is not configured with an external store' },
    })
    expect((await post({ type: 'x' }, 'attachments/store')).status).toBe(400)
  })
})
