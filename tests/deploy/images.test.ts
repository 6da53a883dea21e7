import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@sheaf/engines/free-port'
import { openChannel } from '@sheaf/kit/grpc/client'
import { openWith } from '@sheaf/kit/lifecycle'
import { createAuthority, writeCertificate } from '@sheaf/testkit/certificates'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { imageUser, layOutImage, operate, startImage, type ImageProcess } from './image-process'

const root = join(__dirname, '../..')
const names = ['directory', 'document-data', 'webhook', 'gateway'] as const
type Name = (typeof names)[number]

/** All files and folders of an image, by their paths. */
function list(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

/** The four services, each from the folder of its own image, together a whole Sheaf whose calls are encrypted. */
function startImages() {
  return openWith(async (closer) => {
    const { path: base } = closer.use(await tempDir())
    const folder = (name: Name) => join(base, name)
    const data = join(base, 'data')
    mkdirSync(data)
    chmodSync(base, 0o755)
    if (process.getuid?.() === 0) chownSync(data, 1000, 1000)
    for (const name of names) layOutImage(name, folder(name))
    const before = new Map(names.map((name) => [name, list(folder(name))]))

    const webhookPort = await freePort()
    const tls = await writeCertificate(data, await createAuthority())
    for (const file of [tls.cert, tls.key, tls.ca]) chmodSync(file, 0o644)
    const key = {
      SHEAF_SERVICE_KEY: 'a secret of this test, long enough for anybody',
      SHEAF_TLS_CERT: tls.cert,
      SHEAF_TLS_KEY: tls.key,
      SHEAF_TLS_CA: tls.ca,
    }
    const database = { DATABASE_URL: closer.use(await createTestDatabase()).url }
    const nats = { NATS_URL: testEngines().natsUrl }
    const webhook = { SHEAF_WEBHOOK_ADDRESS: `127.0.0.1:${webhookPort}` }
    const start = async (name: Name, env: Readonly<Record<string, string>>) =>
      closer.use(await startImage(folder(name), { ...key, ...env }))

    const directory = await start('directory', {
      ...database,
      ...nats,
      ...webhook,
      SHEAF_DIRECTORY_LISTEN: '127.0.0.1:0',
    })
    const at = { SHEAF_DIRECTORY_ADDRESS: directory.address }
    const services: Record<Name, ImageProcess> = {
      directory,
      'document-data': await start('document-data', {
        ...at,
        ...nats,
        SHEAF_DATA: data,
        SHEAF_DOCUMENT_DATA_LISTEN: '127.0.0.1:0',
        // The machine may be busy with other tests.
        SHEAF_SQL_TIMEOUT_MS: '60000',
      }),
      webhook: await start('webhook', {
        ...at,
        ...nats,
        ...database,
        SHEAF_WEBHOOK_LISTEN: webhook.SHEAF_WEBHOOK_ADDRESS,
      }),
      gateway: await start('gateway', { ...at, ...webhook, SHEAF_PORT: '0' }),
    }
    return {
      services,
      tls,
      folder,
      before,
      command: (...args: string[]) => operate(folder('directory'), { ...key, ...at }, ...args),
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}

describe('the folders that images are made of', () => {
  let sheaf: Awaited<ReturnType<typeof startImages>>
  beforeAll(async () => (sheaf = await startImages()))
  afterAll(() => sheaf[Symbol.asyncDispose]())

  it('hold nothing that is only for development', () => {
    const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
    const { packages } = JSON.parse(text) as { packages: Record<string, { dev?: boolean }> }
    const development = Object.keys(packages).filter((path) => packages[path]?.dev)
    expect(development.length).toBeGreaterThan(100)
    for (const name of names) {
      const held = new Set(sheaf.before.get(name))
      expect(held).toContain('main.js')
      expect(development.filter((path) => held.has(path))).toEqual([])
      expect([...held].filter((path) => /\.test\.js$|\.d\.ts$/.test(path))).toEqual([])
    }
  })

  it('hold the files of the formula evaluator, which its user finds intact and cannot make', () => {
    const cwd = sheaf.folder('document-data')
    const program = 'services/document-data/dist/evaluator/make-runtime.js'
    const args = [program, '.cache']
    const found = execFileSync(process.execPath, args, { cwd, encoding: 'utf8', ...imageUser })
    expect(found).toMatch(/\/document-data\/\.cache\/formulas\/[0-9a-f]{32}\n$/)
    for (const name of ['directory', 'webhook', 'gateway'] as const)
      expect(sheaf.before.get(name)).not.toContain('.cache')
  })

  it('start services that say by gRPC that they are well, to those who have a certificate', async () => {
    for (const name of ['directory', 'document-data', 'webhook'] as const) {
      const { address } = sheaf.services[name]
      await using channel = openChannel({ address, tls: sheaf.tls })
      await eventually(() => channel.checkHealth())
      await using stranger = openChannel({ address })
      expect(await stranger.checkHealth()).toBe(false)
    }
  })

  it('make a whole Sheaf, which writes and reads documents, runs SQL and has its console', async () => {
    const url = `http://${sheaf.services.gateway.address}`
    await eventually(async () => (await fetch(`${url}/status?ready=1`)).ok, { timeoutMs: 30_000 })
    const { key } = JSON.parse(
      sheaf.command('users', 'create', 'alice@example.com', '--name', 'Alice', '--json'),
    ) as { key: string }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const call = async (path: string, body?: object): Promise<unknown> => {
      const method = body ? 'POST' : 'GET'
      const reply = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
      const answer: unknown = await reply.json()
      expect({ answer, status: reply.status }).toEqual({ answer, status: 200 })
      return answer
    }
    const [{ id }] = (await call('/api/orgs/current/workspaces')) as [{ id: number }]
    const doc = (await call(`/api/workspaces/${id}/docs`, { name: 'First' })) as string
    const columns = [{ id: 'Name', fields: { type: 'Text' } }]
    await call(`/api/docs/${doc}/tables`, { tables: [{ id: 'People', columns }] })
    const records = [{ fields: { Name: 'Ada' } }]
    await call(`/api/docs/${doc}/tables/People/records`, { records })
    const sql = { sql: 'select Name from People' }
    expect(await call(`/api/docs/${doc}/sql`, sql)).toMatchObject({ records })
    expect((await fetch(`${url}/console/`)).status).toBe(200)
  })

  it('are stopped by SIGTERM without an error, and have not been written to', async () => {
    for (const name of [...names].reverse()) {
      expect(await sheaf.services[name].stop()).toMatchObject({ code: 0, last: { msg: 'stopped' } })
      expect(list(sheaf.folder(name))).toEqual(sheaf.before.get(name))
    }
  })
})
