import { cut, json, refuse, startServer, type ScriptedServer } from '../tests/scripted-server.ts'
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

  it('is repeated however long it took until the connection broke, since only the delays are limited', async () => {
    const totalMs = 40
    await using server = await startServer(
      (response) => void setTimeout(() => response.destroy(), 2 * totalMs),
      json([1, 2]),
    )
    const sheaf = new Sheaf({ url: server.url, retry: { ...retry, totalMs } })
    expect(await sheaf.doc('d').attachments.upload(files)).toEqual([1, 2])
    expect(server.seen).toHaveLength(2)
  })

  describe('in a browser', () => {
    const original = globalThis.fetch
    /** As much of a browser as is used, sending by fetch. */
    class XMLHttpRequest {
      status = 0
      responseText = ''
      readonly upload: { onprogress?: (event: object) => void } = {}
      onprogress = () => {}
      onload = () => {}
      onloadend = () => {}
      onerror = () => {}
      onabort = () => {}
      private url = ''
      private readonly headers = new Headers()
      private readonly controller = new AbortController()
      open(_method: string, url: string) {
        this.url = url
      }
      setRequestHeader(name: string, value: string) {
        this.headers.set(name, value)
      }
      getAllResponseHeaders = () => 'content-type: application/json\r\netag: W/"a.1"\r\n'
      send(body: FormData) {
        this.upload.onprogress?.({ loaded: 50, total: 100 })
        const { headers, controller } = this
        original(this.url, { method: 'POST', body, headers, signal: controller.signal })
          .then((response) => this.receive(response))
          .catch(() => (controller.signal.aborted ? this.onabort() : this.onerror()))
          .finally(() => this.onloadend())
      }
      private async receive(response: Response) {
        this.status = response.status
        const decoder = new TextDecoder()
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          this.responseText += decoder.decode(chunk, { stream: true })
          this.onprogress()
        }
        this.onload()
      }
      abort() {
        this.controller.abort()
      }
    }
    beforeEach(() => void Object.assign(globalThis, { XMLHttpRequest }))
    afterEach(() => void Reflect.deleteProperty(globalThis, 'XMLHttpRequest'))

    it('uses XMLHttpRequest, for progress only', async () => {
      await using server = await startServer(json([1, 2]))
      const reports: UploadProgress[] = []
      const onProgress = (progress: UploadProgress) => reports.push(progress)
      expect(await createFiles(server).upload(files, { onProgress })).toEqual([1, 2])
      expect(reports).toEqual([{ sent: 2, total: 5 }])
      expect(await createFiles(server).upload(files)).toEqual([1, 2])
      expect(server.seen.map(({ body }) => partsOf(body))).toEqual([sent, sent])
    })

    const form = () => ({ form: new FormData(), total: 0, onProgress: () => {} })
    const call = { method: 'POST', path: '/import', upload: form, isLong: true } as const

    it('resolves to its response when that begins, and ends it when the signal is aborted', async () => {
      let isClosed = false
      await using server = await startServer((response) => {
        response.on('close', () => (isClosed = true))
        response.writeHead(200).write('{"rows":1}\n')
      })
      const controller = new AbortController()
      const { signal } = controller
      const response = await new Sheaf({ url: server.url, retry }).fetch(call, { signal })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      expect(new TextDecoder().decode((await reader.read()).value)).toBe('{"rows":1}\n')
      controller.abort()
      await expect(reader.read()).rejects.toThrow('aborted')
      while (!isClosed) await new Promise(setImmediate)
    })

    it('rejects with the error of the server', async () => {
      await using server = await startServer(refuse(413, 'FILE_TOO_LARGE'))
      const upload = createFiles(server).upload(files, { onProgress() {} })
      await expect(upload).rejects.toMatchObject({ status: 413, reason: 'FILE_TOO_LARGE' })
    })
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
  await createFiles(server).list({ filter: { id: [1, 2] }, asOf: 7 })
  expect(server.seen.map(({ url }) => decodeURIComponent(url))).toEqual([
    '/api/docs/d/attachments?sort=-fileSize&limit=3',
    '/api/docs/d/attachments?filter={"id":[1,2]}&asOf=7',
  ])
})
