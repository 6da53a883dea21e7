import { request, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { UsableSheaf } from '@sheaf/testkit/sheaf'
import { joinSheaf } from '../support/system'

let sheaf: UsableSheaf
let script: string
beforeAll(async () => {
  sheaf = await joinSheaf('reader', 'Reader')
  const page = (await get('/console/')).bytes.toString()
  script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? ''
})

interface Reply {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Sends a request without fetch, which decompresses in silence. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(sheaf.url + path, { agent: false, method, headers }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part)).once('error', reject)
      reply.once('end', () =>
        resolve({ status: reply.statusCode, headers: reply.headers, bytes: Buffer.concat(parts) }),
      )
    })
    sent.once('error', reject).end()
  })
}

const wanted = (coding: string) => ({ 'accept-encoding': coding })

describe('a script of the console', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['', undefined, (bytes: Buffer) => bytes],
    ['identity;q=1, gzip;q=0.5, br;q=0.5', undefined, (bytes: Buffer) => bytes],
  ])('is sent for “%s” in the shortest form that is accepted', async (accepted, coding, unpack) => {
    const plain = await get(script)
    const { headers, bytes } = await get(script, wanted(accepted))
    expect(headers['content-encoding']).toBe(coding)
    expect(unpack(bytes).equals(plain.bytes)).toBe(true)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Origin, Accept-Encoding',
    })
    if (coding) expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
  })

  it('has an ETag for each form, by which a copy is validated', async () => {
    const forms = await Promise.all(['br', 'gzip', ''].map((one) => get(script, wanted(one))))
    const tags = forms.map(({ headers }) => headers.etag ?? '')
    expect(new Set(tags).size).toBe(3)
    const [brotli = '', gzip = ''] = tags
    const same = await get(script, { ...wanted('br'), 'if-none-match': `"other", ${brotli}` })
    expect([same.status, same.bytes.length, same.headers.etag]).toEqual([304, 0, brotli])
    expect(same.headers.vary).toBe('Origin, Accept-Encoding')
    const other = await get(script, { ...wanted('br'), 'if-none-match': gzip })
    expect(other.status).toBe(200)
  })

  it('has the same head for HEAD', async () => {
    const { headers } = await get(script, wanted('br'))
    const head = await get(script, wanted('br'), 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    for (const name of ['content-length', 'content-encoding', 'etag', 'content-type'])
      expect(head.headers[name]).toBe(headers[name])
  })

  it('has no address of its own in a compressed form', async () => {
    expect((await get(`${script}.br`)).status).toBe(404)
  })
})

describe('the page of a table', () => {
  it('names the files of the grid, so that they are loaded beside the console', async () => {
    const linksOf = async (path: string) => String((await get(`/console/${path}`)).headers.link)
    const links = await linksOf('docs/7/tables/People')
    expect(links).toMatch(/<[^>]+\.js>; rel=modulepreload; crossorigin/)
    expect(links).toMatch(/<[^>]+\.css>; rel=preload; as=style; crossorigin/)
    for (const [, file = ''] of links.matchAll(/<([^>]+)>/g))
      expect([file, (await get(file)).status]).toEqual([file, 200])
    expect(await linksOf('docs/7')).toBe(links)
    expect([await linksOf(''), await linksOf('docs/7/history')]).toEqual(['undefined', 'undefined'])
  })
})
