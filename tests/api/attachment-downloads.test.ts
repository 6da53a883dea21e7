import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { formOf, useAttachments } from '../support/attachments'
import { emailOf } from '../support/system'

const files = useAttachments()

describe('downloads', () => {
  it('end within seconds when the access of their reader is revoked', async () => {
    const { sheaf, alice } = files.system
    const email = emailOf('vera')
    const vera = await sheaf.createUser(email, 'Vera')
    const share = (role: string | null) =>
      alice.rest.patch(`${files.doc}/access`, { body: { delta: { users: { [email]: role } } } })
    await share('viewers')
    const size = 64 * 1024 * 1024
    await files.upload(['large.bin', Buffer.alloc(size, 1)])
    const url = `${sheaf.url}${files.doc}/attachments/1/download`
    const response = await fetch(url, { headers: { authorization: `Bearer ${vera.key}` } })
    expect(response.status).toBe(200)
    await share(null)
    // Reads on so slowly that it would take the client a minute.
    const read = async () => {
      let bytes = 0
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        bytes += chunk.length
        await setTimeout((chunk.length / size) * 60_000)
      }
      return bytes
    }
    const started = performance.now()
    await expect(read()).rejects.toThrow()
    expect(performance.now() - started).toBeLessThan(30_000)
  })

  it('have headers that let nothing run', async () => {
    await files.upload(
      ['a.txt', 'hello'],
      ['b.html', '<script>'],
      ['c.svg', '<svg>'],
      ['d.png', 'png'],
    )
    const { headers, text } = await files.get('1/download')
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
    const shown = await Promise.all([1, 2, 3, 4].map((id) => files.get(`${id}/download?inline=1`)))
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
    await files.upload(['noext', 'a', 'text/plain'], ['a.txt', 'a'])
    const named = async (path: string) =>
      (await files.get(path)).headers.get('content-disposition')?.replaceAll('"', '')
    expect(await named('1/download')).toBe('attachment; filename=noext.txt')
    expect(await named('2/download?name=x%22y.bin')).toBe('attachment; filename=x\\y.bin')
    expect(await named('2/download?name=a%0d%0aSet-Cookie:b')).toBe(
      'attachment; filename=a__Set-Cookie:b',
    )
  })

  it('give the range that is asked for', async () => {
    const bytes = randomBytes(700_000)
    await files.upload(['a.bin', bytes])
    const whole = await files.get('1/download')
    expect(whole.raw.equals(bytes)).toBe(true)
    const tag = whole.headers.get('etag') ?? ''
    const ranged = async (range: string, more = {}) => {
      const { status, headers, raw } = await files.get('1/download', { range, ...more })
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
    expect((await files.get('1/download', { 'if-none-match': tag })).status).toBe(304)
  })

  it('that fail, or are known already, have no headers of the file', async () => {
    await files.upload(['a.txt', 'hello'])
    const tag = (await files.get('1/download')).headers.get('etag') ?? ''
    const ofFile = ['accept-ranges', 'content-disposition', 'content-range', 'etag']
    const given = async (headers: Record<string, string>) => {
      const answer = await files.get('1/download', headers)
      return ofFile.flatMap((name) => answer.headers.get(name) ?? [])
    }
    expect(await given({ range: 'bytes=9-' })).toEqual(['bytes */5'])
    expect(await given({ 'if-none-match': tag })).toEqual([tag])
  })

  it('of an empty file are empty', async () => {
    await files.upload(['a.txt', ''])
    const { status, raw } = await files.get('1/download')
    expect([status, raw.length]).toEqual([200, 0])
    expect((await files.get('1/download', { range: 'bytes=0-' })).status).toBe(416)
  })

  it('say what is wrong with the request', async () => {
    await files.upload(['a.txt', 'a'])
    const error = async (path: string) => {
      const { status, body } = await files.get(path)
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
      'tableId, colId and rowId must be given together',
    ])
    expect((await files.get('1/download?tableId=T&colId=A&rowId=1&maybeNew=1')).status).toBe(200)
  })
})

describe('a copy of a document', () => {
  it('has its files, and a copy as a template none', async () => {
    await files.upload(['a.txt', 'aaa'])
    const { rest } = files.system.alice
    const { body: described } = await rest.get<{ workspace: { id: number } }>(files.doc)
    const copy = async (asTemplate: boolean) => {
      const body = { workspaceId: described.workspace.id, documentName: 'Copy', asTemplate }
      return (await rest.post<string>(`${files.doc}/copy`, { body })).body
    }
    const whole = await rest.get(`/api/docs/${await copy(false)}/attachments/1/download`)
    expect(whole.text).toBe('aaa')
    const listed = await rest.get<{ records: [] }>(`/api/docs/${await copy(true)}/attachments`)
    expect(listed.body.records).toEqual([])
  })
})

describe('archives and stores', () => {
  it('give all files at once', async () => {
    await files.upload(['a.txt', 'aaa'], ['b.txt', 'bbb'])
    const zip = await files.get('archive')
    expect(zip.headers.get('content-type')).toBe('application/zip')
    expect(zip.headers.get('content-disposition')).toContain('Test-Attachments.zip')
    expect(zip.headers.get('cache-control')).toBe('no-store')
    expect(zip.raw.toString('latin1')).toMatch(/[0-9a-f]{40}_a\.txt[^]*[0-9a-f]{40}_b\.txt/)
    const tar = await files.get('archive?format=tar')
    expect(tar.raw.toString('latin1', 257, 262)).toBe('ustar')
    expect(await files.get('archive?format=foo')).toMatchObject({
      status: 400,
      body: { error: 'format parameter should be one of zip,tar: foo' },
    })
    const restored = await files.post(formOf([['x.tar', tar.raw]], 'file'), 'attachments/archive')
    expect(restored.body).toEqual({ added: 0, errored: 0, unused: 2 })
    const junk = await files.post(formOf([['x.tar', randomBytes(3000)]]), 'attachments/archive')
    expect(junk).toMatchObject({ status: 400, body: { error: 'File is not a valid .tar' } })
    const none = await files.post(formOf([['x.zip', tar.raw]]), 'attachments/archive')
    expect(none).toMatchObject({ status: 400, body: { error: 'No .tar file found in request' } })
  })

  it('tell that files lie in their document', async () => {
    expect((await files.get('store')).body).toEqual({ type: 'internal' })
    expect((await files.get('stores')).body).toEqual({ stores: [] })
    expect((await files.get('transferStatus')).body).toMatchObject({ locationSummary: 'internal' })
    expect((await files.post(undefined, 'attachments/transferAll')).status).toBe(200)
    expect((await files.post({ type: 'internal' }, 'attachments/store')).status).toBe(200)
    const external = await files.post({ type: 'external' }, 'attachments/store')
    expect(external).toMatchObject({
      status: 400,
      body: { error: 'server is not configured with an external store' },
    })
    expect((await files.post({ type: 'x' }, 'attachments/store')).status).toBe(400)
  })
})
