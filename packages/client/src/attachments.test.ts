import { cut, json, startServer, type ScriptedServer } from '../tests/scripted-server.ts'
import { Sheaf, type UploadProgress } from './index.ts'

const retry = { firstDelayMs: 1, maxDelayMs: 2 }
const createFiles = ({ url }: ScriptedServer, fetch?: typeof globalThis.fetch) =>
  new Sheaf({ url, retry, fetch: fetch && ((to, init) => fetch(to, init)) }).doc('d').attachments
const files = [
  { name: 'a.txt', data: 'one' },
  { name: 'b.bin', data: new Uint8Array([52, 53]) },
]

/** Content-Disposition and contents of the parts of a form. */
const partsOf = (body = '') =>
  [...body.matchAll(/name="(\w+)"; filename="([^"]+)"[^]*?\r\n\r\n([^]*?)\r\n--/g)].map(
    ([, ...part]) => part,
  )
const sent = [
  ['upload', 'a.txt', 'one'],
  ['upload', 'b.bin', '45'],
]

describe('an upload', () => {
  it.each([[undefined], [() => {}]])(
    'sends a form with one key, again after a broken connection; progress: %s',
    async (onProgress) => {
      await using server = await startServer(cut(), json([1, 2]))
      expect(await createFiles(server).upload(files, { onProgress })).toEqual([1, 2])
      expect(server.seen.map(({ body }) => partsOf(body))).toEqual([sent, sent])
      const keys = server.seen.map(({ headers }) => headers['idempotency-key'])
      expect([keys[0]?.length, keys[1]]).toEqual([32, keys[0]])
    },
  )

  it('reports its progress up to the size of the files', async () => {
    await using server = await startServer(json([1]))
    const reports: UploadProgress[] = []
    const data = new Blob(['x'.repeat(300_000)])
    await createFiles(server).upload([{ name: 'x', data }], {
      onProgress: (progress) => reports.push(progress),
    })
    const numbers = reports.map(({ sent }) => sent)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(numbers[0]).toBeLessThan(300_000)
    expect(reports.at(-1)).toEqual({ sent: 300_000, total: 300_000 })
    expect(server.seen[0]?.body.length).toBeGreaterThan(300_000)
  })

  it('uses XMLHttpRequest where there is one, for progress only', async () => {
    await using server = await startServer(json([1, 2]))
    const original = globalThis.fetch
    /** As much of a browser as is used, sending by fetch. */
    class XMLHttpRequest {
      status = 0
      responseText = ''
      readonly upload: { onprogress?: (event: object) => void } = {}
      onload = () => {}
      onerror = () => {}
      private url = ''
      private readonly headers = new Headers()
      open(_method: string, url: string) {
        this.url = url
      }
      setRequestHeader(name: string, value: string) {
        this.headers.set(name, value)
      }
      getAllResponseHeaders = () => 'content-type: application/json\r\netag: W/"a.1"\r\n'
      send(body: FormData) {
        this.upload.onprogress?.({ loaded: 50, total: 100 })
        original(this.url, { method: 'POST', body, headers: this.headers })
          .then(async (response) => {
            this.status = response.status
            this.responseText = await response.text()
            this.onload()
          })
          .catch(() => this.onerror())
      }
      abort() {}
    }
    Object.assign(globalThis, { XMLHttpRequest })
    try {
      const reports: UploadProgress[] = []
      const onProgress = (progress: UploadProgress) => reports.push(progress)
      expect(await createFiles(server).upload(files, { onProgress })).toEqual([1, 2])
      expect(reports).toEqual([{ sent: 2, total: 5 }])
      expect(await createFiles(server).upload(files)).toEqual([1, 2])
      expect(server.seen.map(({ body }) => partsOf(body))).toEqual([sent, sent])
    } finally {
      Reflect.deleteProperty(globalThis, 'XMLHttpRequest')
    }
  })
})

describe('a download', () => {
  it('resolves to a response, also of a range, and is repeated until it begins', async () => {
    await using server = await startServer(cut(), (response) =>
      response.writeHead(206, { 'content-type': 'text/plain' }).end('ell'),
    )
    const files = createFiles(server)
    const file = await files.download(7, { range: { start: 1, end: 3 } })
    expect([file.status, await file.text()]).toEqual([206, 'ell'])
    await (await files.download(7, { range: { start: 1 } })).text()
    expect(server.seen.map(({ url, headers }) => `${url} ${headers.range}`)).toEqual([
      '/api/docs/d/attachments/7/download bytes=1-3',
      '/api/docs/d/attachments/7/download bytes=1-3',
      '/api/docs/d/attachments/7/download bytes=1-',
    ])
  })

  it('ends within the file when the signal is aborted', async () => {
    await using server = await startServer((response) => response.writeHead(200).write('h'))
    const controller = new AbortController()
    const file = await createFiles(server).download(7, { signal: controller.signal })
    const text = file.text()
    controller.abort()
    await expect(text).rejects.toMatchObject({ name: 'AbortError' })
  })
})

it('attachments are listed', async () => {
  const records = [{ id: 1, fields: { fileName: 'a', fileSize: 1, timeUploaded: '' } }]
  await using server = await startServer(json({ records }))
  expect(await createFiles(server).list({ sort: '-fileSize', limit: 3 })).toEqual(records)
  expect(server.seen[0]?.url).toBe('/api/docs/d/attachments?sort=-fileSize&limit=3')
})
