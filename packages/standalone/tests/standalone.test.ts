import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceKeyPath } from '@sheaf/cli/run-file'
import { findProcesses, identifyProcess } from '@sheaf/engines/process-table'
import { openDatabase } from '@sheaf/kit/postgres/database'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { startSheaf, type RunningSheaf, type ServiceName } from '@sheaf/testkit/sheaf'

const main = join(__dirname, '../dist/main.js')

interface Tables {
  readonly users: { readonly id: number; readonly email: string }
  readonly sign_in_links: Record<'hash' | 'user_id' | 'origin' | 'next' | 'expires_at', unknown>
}

async function fillWithLinks(url: string, email: string): Promise<void> {
  const log = createLogger('standalone-test')
  await using db = openDatabase<Tables>({ url, schema: 'directory', log, maxConnections: 1 })
  const query = db.selectFrom('users').select('id').where('email', '=', email)
  const { id } = await query.executeTakeFirstOrThrow()
  const link = { user_id: id, origin: 'operator', next: '' }
  const expires_at = new Date(Date.now() + 600_000)
  const links = Array.from({ length: 100 }, () => ({ ...link, hash: randomBytes(32), expires_at }))
  await db.insertInto('sign_in_links').values(links).execute()
}

describe('standalone', () => {
  let parent: string
  let dataDir: string
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sheaf-standalone-'))
    await chmod(parent, 0o755) // as root, PostgreSQL's user has to pass through
    dataDir = join(parent, 'data')
  })
  afterEach(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }))

  /** Runs a start that is expected to fail. */
  function failingStart(env: Record<string, string>): Promise<{ code: unknown; stderr: string }> {
    const { databaseUrl, natsUrl } = testEngines()
    const settings = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, NATS_URL: natsUrl }
    return new Promise((resolve) => {
      const options = { env: { ...settings, SHEAF_DATA: dataDir, SHEAF_PORT: '0', ...env } }
      execFile(process.execPath, [main], options, (error, _, stderr) =>
        resolve({ code: error?.code, stderr }),
      )
    })
  }

  const orgs = ({ url, ownerKey }: RunningSheaf) =>
    fetch(`${url}/api/orgs`, { headers: { authorization: `Bearer ${ownerKey}` } })

  it('starts without configuration, prints a key once, and keeps all data across restarts', async () => {
    await using first = await startSheaf({ dataDir, ownEngines: true })
    expect(first.output()).toContain(first.url)
    expect(first.output().split(first.ownerKey)).toHaveLength(2)
    expect((await orgs(first)).status).toBe(200)
    const serviceKey = await stat(serviceKeyPath(first.dataDir))
    expect(serviceKey.mode & 0o777).toBe(0o600)
    // Others may at most pass through, as PostgreSQL's user has to when root starts it.
    expect((await stat(dataDir)).mode & 0o066).toBe(0)
    const pids = Object.values(await first.pids())
    await first[Symbol.asyncDispose]()
    expect(pids.filter((pid) => identifyProcess(pid))).toEqual([])
    await expect(readFile(join(dataDir, 'run.json'))).rejects.toThrow('ENOENT')

    const { ownerKey } = first
    await using second = await startSheaf({ dataDir, ownEngines: true, ownerKey })
    expect(second.output()).not.toContain('shf_')
    expect(second.output()).toContain('keys create you@example.com')
    for (const { output, url } of [first, second])
      expect(output()).toContain(`Console  ${url}/sign-in/link?token=shl_`)
    expect((await orgs(second)).status).toBe(200)
  })

  it('starts when its owner has the maximum number of unused sign-in links', async () => {
    await using database = await createTestDatabase()
    const { url: databaseUrl } = database
    await using first = await startSheaf({ dataDir, databaseUrl })
    await fillWithLinks(databaseUrl, 'you@example.com')
    await first[Symbol.asyncDispose]()
    const { ownerKey } = first
    await using second = await startSheaf({ dataDir, databaseUrl, ownerKey })
    expect(second.output()).toContain(`Console  ${second.url}/console/ `)
    expect(second.output()).not.toContain('shl_')
    expect((await orgs(second)).status).toBe(200)
  })

  it('restarts every service that is killed', async () => {
    await using sheaf = await startSheaf({ dataDir })
    for (const name of ['directory', 'document-data', 'webhook', 'gateway'] as ServiceName[]) {
      const killed = await sheaf.kill(name)
      expect(await sheaf.restarted(name, killed)).not.toBe(killed)
      expect(sheaf.output()).toContain(`${name} exited unexpectedly (SIGKILL)`)
    }
    await eventually(async () => expect((await orgs(sheaf)).status).toBe(200))
  })

  it('can be started again after it was killed, and leaves no processes behind', async () => {
    await using killed = await startSheaf({ dataDir, ownEngines: true })
    const { standalone, ...services } = await killed.pids()
    process.kill(standalone, 'SIGKILL')
    await using next = await startSheaf({ dataDir, ownEngines: true, ownerKey: killed.ownerKey })
    expect(Object.values(services).filter((pid) => identifyProcess(pid))).toEqual([])
    expect((await orgs(next)).status).toBe(200)
  })

  it('leaves no services running when it is killed and not restarted', async () => {
    await using killed = await startSheaf({ dataDir })
    process.kill(killed.pid, 'SIGKILL')
    await eventually(() => findProcesses('node', `--sheaf=${dataDir}`).length === 0)
  })

  it('runs alongside another Sheaf, but not on the same folder', async () => {
    await using first = await startSheaf({ dataDir })
    await using second = await startSheaf()
    expect((await orgs(second)).status).toBe(200)
    expect((await fetch(`${first.url}/api/orgs`, authorized(second.ownerKey))).status).toBe(401)

    const { code, stderr } = await failingStart({})
    expect(code).toBe(1)
    expect(stderr).toMatch(/^the data folder .* is in use by another Sheaf \(process \d+\)\n$/)
    expect((await orgs(first)).status).toBe(200)
  })

  it('reports every invalid setting, its own and those of the services', async () => {
    const own = await failingStart({ SHEAF_PORT: 'x', SHEAF_LOG_LEVEL: 'loud' })
    expect(own.stderr.trim().split('\n')).toEqual([
      expect.stringContaining('SHEAF_LOG_LEVEL must be one of'),
      'SHEAF_PORT must be a whole number from 0 to 65535',
    ])
    const { code, stderr } = await failingStart({ SHEAF_MAX_BODY_MB: 'much' })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^SHEAF_MAX_BODY_MB must be [^\n]*\n$/),
    ])
  })

  it('refuses several instances without replication, which would bind documents to one of them', async () => {
    const several = { SHEAF_INSTANCES: '3' }
    const refused = async (env: Record<string, string>) => (await failingStart(env)).stderr
    expect(await refused(several)).toBe('SHEAF_INSTANCES above 1 requires SHEAF_REPLICATED=true\n')
    const replicated = { SHEAF_REPLICATED: 'true' }
    expect(await refused({ ...replicated, SHEAF_INSTANCES: '99' })).toBe(
      'SHEAF_INSTANCES must be a whole number from 1 to 8\n',
    )
    expect(await refused({ ...replicated, ...several, SHEAF_INSTANCE_NAME: 'a' })).toBe(
      'SHEAF_INSTANCE_NAME must not be set with SHEAF_INSTANCES above 1\n',
    )
  })

  it('starts several replicated instances, each with a name, a folder and a process of its own', async () => {
    const env = { SHEAF_INSTANCES: '3', SHEAF_REPLICATED: 'true' }
    await using sheaf = await startSheaf({ dataDir, env })
    const names = ['document-data-0', 'document-data-1', 'document-data-2']
    const { standalone, directory, webhook, gateway, ...instances } = await sheaf.pids()
    expect(Object.keys(instances).sort()).toEqual(names)
    expect(
      new Set([standalone, directory, webhook, gateway, ...Object.values(instances)]).size,
    ).toBe(7)
    const [, ...others] = names.map((name) => join(dataDir, 'instances', name, 'documents'))
    expect([join(dataDir, 'documents'), ...others].filter((folder) => !existsSync(folder))).toEqual(
      [],
    )
  })

  it('does not start with a Node that its packages were not built for, and gives the reason of the loader', async () => {
    const hook = join(parent, 'foreign-node.js')
    const reason = 'was compiled against\\na different Node.js version'
    await writeFile(
      hook,
      `const { dlopen } = process
       process.dlopen = (module, file, ...rest) => {
         if (file.includes('better_sqlite3')) throw new Error('The module ${reason}')
         return dlopen.call(process, module, file, ...rest)
       }`,
    )
    const { code, stderr } = await failingStart({ NODE_OPTIONS: `--require ${hook}` })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^document-data failed to start .*SQLite cannot be loaded .*The module was compiled against a different Node.js version/,
    )
  })

  it('says once which of its settings are misspelt, and what they resemble', async () => {
    await using sheaf = await startSheaf({ dataDir, env: { SHEAF_TRASH_DAY: '3' } })
    const said = sheaf.output().match(/SHEAF_TRASH_DAY .*/g)
    expect(said).toEqual([
      'SHEAF_TRASH_DAY is not a setting and is ignored; the nearest name is SHEAF_TRASH_DAYS',
    ])
  })

  const onProc = existsSync('/proc/self') ? it : it.skip
  onProc('ends when its data folder cannot be made', async () => {
    const { code, stderr } = await failingStart({ SHEAF_DATA: '/proc/none/data' })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^the data folder \/proc\/none\/data cannot be used: ENOENT/),
    ])
  })

  it('reports in one sentence that its port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { stderr } = await failingStart({ SHEAF_PORT: String(port) })
    expect(stderr).toBe(
      `port ${port} on 127.0.0.1 is in use: set SHEAF_PORT to another port, or to 0 for any free port\n`,
    )
    server.close()
  })

  it('stops on SIGTERM before it is ready', async () => {
    await using database = await createTestDatabase()
    const { natsUrl } = testEngines()
    const env = {
      DATABASE_URL: database.url,
      NATS_URL: natsUrl,
      SHEAF_DATA: dataDir,
      SHEAF_PORT: '0',
    }
    const child = execFile(process.execPath, [main], { env: { PATH: process.env.PATH, ...env } })
    child.stdout?.on('data', (text: string) => {
      if (text.includes('starting directory')) child.kill('SIGTERM')
    })
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(findProcesses('node', `--sheaf=${dataDir}`)).toEqual([])
  })
})

function authorized(key: string): RequestInit {
  return { headers: { authorization: `Bearer ${key}` } }
}
