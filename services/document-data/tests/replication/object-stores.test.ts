import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { startS3Server, type S3Server } from '@sheaf/testkit/s3-server'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import { FolderStore } from '../../src/replication/objects/folder-store'
import type { ObjectStore } from '../../src/replication/objects/object-store'
import { ReportedStore, type StoreCall } from '../../src/replication/objects/reported-store'
import { S3Store } from '../../src/replication/objects/s3-store'

let folder: TempDir
let server: S3Server
const opened: S3Store[] = []

beforeAll(async () => {
  folder = await tempDir()
  server = await startS3Server()
})

afterAll(async () => {
  for (const store of opened) store[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

function bucket(changes: Partial<S3Server['settings']> = {}): S3Store {
  const store = new S3Store({ ...server.settings, youngMs: 0, ...changes })
  opened.push(store)
  return store
}

const kinds: readonly (readonly [string, () => ObjectStore])[] = [
  ['a folder', () => new FolderStore(join(folder.path, 'store'))],
  ['a bucket', () => bucket()],
  ['a bucket without a prefix', () => bucket({ prefix: '' })],
]

const bytes = (text: string) => Buffer.from(text)

describe.each(kinds)('%s', (_, open) => {
  it('has the bytes of an object until it is replaced', async () => {
    const store = open()
    await store.put('aa/doc/pieces/one', bytes('first'))
    await store.put('aa/doc/pieces/one', bytes('second'))
    expect(String(await store.get('aa/doc/pieces/one'))).toBe('second')
    expect(await store.has('aa/doc/pieces/one')).toBe(true)
    await store.put('aa/doc/pieces/empty', bytes(''))
    expect(await store.get('aa/doc/pieces/empty')).toHaveLength(0)
  })

  it('tells that there is no object', async () => {
    const store = open()
    expect(await store.get('aa/none')).toBeUndefined()
    expect(await store.has('aa/none')).toBe(false)
    expect(await store.touch('aa/none')).toBe(false)
    expect(await store.list('aa/none')).toEqual([])
    await store.removeOld('aa/none', Date.now())
    await store.removeFolder('aa/none')
  })

  it('lists the objects of a folder, and not those of one whose name begins alike', async () => {
    const store = open()
    const names = Array.from({ length: 20 }, (__, index) => `bb/doc/pieces/${index}`)
    const begun = Date.now()
    for (const name of [...names, 'bb/doc/pieces2/x', 'bb/doc/x']) await store.put(name, bytes('x'))
    const listed = await store.list('bb/doc/pieces')
    expect(listed.map(({ name }) => name).sort()).toEqual(names.sort())
    // S3 tells whole seconds.
    for (const { storedAt } of listed) expect(Math.abs(storedAt - begun)).toBeLessThan(30_000)
  })

  it('removes an object only if it is old', async () => {
    const store = open()
    await store.put('cc/doc/old', bytes('kept'))
    await store.removeOld('cc/doc/old', Date.now() - 60_000)
    expect(String(await store.get('cc/doc/old'))).toBe('kept')
    await store.removeOld('cc/doc/old', Date.now() + 60_000)
    expect(await store.has('cc/doc/old')).toBe(false)
  })

  it('makes an object young again, with the same bytes', async () => {
    const store = open()
    await store.put('ff/doc/piece', bytes('kept'))
    const storedAt = async () => (await store.list('ff/doc')).map((object) => object.storedAt)
    const [first = 0] = await storedAt()
    // S3 tells whole seconds.
    await eventually(async () => {
      expect(await store.touch('ff/doc/piece')).toBe(true)
      const [now = 0] = await storedAt()
      return now > first
    })
    expect(String(await store.get('ff/doc/piece'))).toBe('kept')
  })

  it('removes a folder with all that is below it, and nothing else', async () => {
    const store = open()
    for (const name of ['dd/doc/pieces/1', 'dd/doc/snapshots/2', 'dd/doc2/3'])
      await store.put(name, bytes('x'))
    await store.removeFolder('dd/doc')
    expect(await store.list('dd/doc/pieces')).toEqual([])
    expect(await store.has('dd/doc/snapshots/2')).toBe(false)
    expect(await store.has('dd/doc2/3')).toBe(true)
  })
})

/** A server that answers every request in the same way. */
async function startAnswering(answer: (response: ServerResponse) => void) {
  const fake = createServer((request, response) => {
    request.resume()
    request.on('end', () => answer(response))
  })
  await once(fake.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(fake.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      fake.closeAllConnections()
      fake.close()
      await once(fake, 'close')
    },
  }
}

describe('a store that fails', () => {
  async function failures(store: ObjectStore): Promise<StoreCall[]> {
    const calls: StoreCall[] = []
    const reported = new ReportedStore(store, (call) => calls.push(call))
    const unavailable = { code: 'unavailable', reason: 'STORE_UNAVAILABLE' }
    await expect(reported.put('ee/doc/x', bytes('secret'))).rejects.toMatchObject(unavailable)
    await expect(reported.get('ee/doc/x')).rejects.toMatchObject(unavailable)
    return calls
  }

  it('is unavailable, and its errors are for the report alone: a bucket that does not exist', async () => {
    const calls = await failures(bucket({ bucket: 'no-such-bucket' }))
    expect(calls).toMatchObject([
      { operation: 'put', error: { name: 'NoSuchBucket' } },
      { operation: 'get', error: { name: 'NoSuchBucket' } },
    ])
  })

  it('is unavailable: a server that is away, and available once it is back', async () => {
    await using proxy = await TcpProxy.start(server.settings.endpoint)
    const endpoint = proxy.through(server.settings.endpoint).replace(/\/$/, '')
    const store = bucket({ endpoint })
    await store.put('ee/doc/x', bytes('x'))
    proxy.refuse()
    expect(await failures(store)).toHaveLength(2)
    proxy.admit()
    expect(String(await store.get('ee/doc/x'))).toBe('x')
  })

  it('is unavailable within some seconds: a server that does not answer, or stops within an answer', async () => {
    const answers = {
      silent: () => {},
      stalling: (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('x')
      },
    }
    const begun = performance.now()
    const failed = Object.values(answers).map(async (answer) => {
      await using fake = await startAnswering(answer)
      return await failures(bucket({ endpoint: fake.url }))
    })
    for (const calls of await Promise.all(failed)) expect(calls.at(-1)?.error).toBeDefined()
    // Two calls of 5 s.
    expect(performance.now() - begun).toBeLessThan(15_000)
  })

  it('is full: a server that says so', async () => {
    await using fake = await startAnswering((response) => response.writeHead(507).end())
    const store = new ReportedStore(bucket({ endpoint: fake.url }), () => {})
    await expect(store.put('ee/doc/x', bytes('x'))).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'STORE_FULL',
    })
  })

  it('is unavailable: a folder that has gone, which is not made again without its objects', async () => {
    const path = join(folder.path, 'share')
    const store = new FolderStore(path)
    await store.put('ee/doc/x', bytes('x'))
    await rename(path, `${path}-away`)
    expect(await failures(store)).toMatchObject([
      { operation: 'put', error: { code: 'ENOENT' } },
      { operation: 'get', error: { code: 'ENOENT' } },
    ])
    await rename(`${path}-away`, path)
    expect(String(await store.get('ee/doc/x'))).toBe('x')
    expect(await store.get('ee/doc/none')).toBeUndefined()
  })

  it('is unavailable: a path that is a file', async () => {
    const path = join(folder.path, 'file')
    await new FolderStore(folder.path).put('file', bytes('x'))
    expect(await failures(new FolderStore(path))).toMatchObject([
      { operation: 'put', error: { code: 'EEXIST' } },
      { operation: 'get', error: { code: 'ENOTDIR' } },
    ])
  })
})
