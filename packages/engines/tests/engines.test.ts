import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { unprivilegedAccount } from '../src/account'
import type { Account } from '../src/account'
import { EngineError } from '../src/engine-error'
import { startEngines } from '../src/engines'
import type { EngineOptions, RunningEngines } from '../src/engines'
import { freePort } from '../src/free-port'
import { identifyProcess } from '../src/process-table'

const isRoot = process.getuid?.() === 0

describe('startEngines', () => {
  let parent: string
  let dataDir: string
  let messages: string[]
  const running: RunningEngines[] = []

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sheaf-engines-'))
    await chmod(parent, 0o755) // as root, PostgreSQL's user has to pass through
    dataDir = join(parent, 'data')
    messages = []
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((engines) => engines.stop()))
    await rm(parent, { recursive: true, force: true })
  })

  const start = async (options?: Partial<EngineOptions>) => {
    const log: EngineOptions['log'] = ({ engine, message }) => messages.push(`${engine} ${message}`)
    const engines = await startEngines({ dataDir, log, ...options })
    running.push(engines)
    return engines
  }

  it('keeps data, ports and passwords from one start to the next', async () => {
    const first = await start()
    expect(await first.ready()).toEqual({ postgres: true, nats: true })
    await query(first.databaseUrl, 'create table notes as select 42 as answer')
    await first.stop()
    expect(await first.ready()).toEqual({ postgres: false, nats: false })

    const second = await start()
    expect(second.databaseUrl).toBe(first.databaseUrl)
    expect(second.natsUrl).toBe(first.natsUrl)
    expect(await query(second.databaseUrl, 'select answer from notes')).toEqual([{ answer: 42 }])
    expect(messages.filter((message) => message.includes('unexpectedly'))).toEqual([])
  })

  it('starts PostgreSQL 18 with UTF-8 and a sort order that does not depend on the machine', async () => {
    const { databaseUrl } = await start()
    const [row] = await query(
      databaseUrl,
      `select current_database() as name, current_setting('server_version_num')::int / 10000 as version,
              pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale
         from pg_database where datname = current_database()`,
    )
    expect(row).toMatchObject({ name: 'sheaf', encoding: 'UTF8', provider: 'b' })
    expect(row).toMatchObject({ datlocale: 'C.UTF-8', version: 18 })
  })

  it('starts a PostgreSQL that syncs every commit to disk', async () => {
    const { databaseUrl } = await start()
    const names = ['fsync', 'full_page_writes', 'synchronous_commit']
    for (const name of names)
      expect(await query(databaseUrl, `show ${name}`)).toEqual([{ [name]: 'on' }])
  })

  it('requires the password, which other users can find neither in files nor in the process list', async () => {
    const { databaseUrl, natsUrl, pids } = await start()
    await expect(query(withPassword(databaseUrl, 'wrong'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    )
    const { host, username } = new URL(natsUrl)
    const login = { servers: host, user: username, pass: 'wrong', reconnect: false }
    await expect(connect(login)).rejects.toThrow(/authorization/i)

    for (const file of ['engines.json', 'nats/nats.conf']) {
      expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600)
    }
    if (process.platform === 'linux') {
      const commands = await Promise.all(
        [pids.postgres, pids.nats].map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')),
      )
      expect(commands.join()).not.toContain(new URL(databaseUrl).password)
      expect(commands.join()).not.toContain(new URL(natsUrl).password)
    }
  })

  it('rejects a second start on the same folder without affecting the first', async () => {
    const first = await start()
    await expect(start()).rejects.toThrow(/^the data folder .* in use by another Sheaf \(process/)
    expect(await first.ready()).toEqual({ postgres: true, nats: true })
  })

  it('restarts a killed engine on the same port', async () => {
    const engines = await start()
    const before = { ...engines.pids }
    process.kill(before.postgres!, 'SIGKILL')
    process.kill(before.nats!, 'SIGKILL')
    await until(async () => {
      const ready = await engines.ready()
      return ready.postgres && ready.nats && messages.filter((m) => m.includes('again')).length >= 4
    })
    expect(engines.pids.postgres).not.toBe(before.postgres)
    expect(engines.pids.nats).not.toBe(before.nats)
    expect(messages).toContain('postgres stopped unexpectedly (SIGKILL) and is being started again')
    expect(messages).toContain('nats runs again')
  })

  it('stops the engines that a killed Sheaf left running, and continues with their data', async () => {
    const starter = spawn(process.execPath, [join(__dirname, 'starter.js'), dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface(starter.stdout), 'line')) as [string]
    const orphans = JSON.parse(line) as Pick<RunningEngines, 'databaseUrl' | 'natsUrl' | 'pids'>
    await query(orphans.databaseUrl, 'create table notes as select 42 as answer')
    starter.kill('SIGKILL')
    await once(starter, 'exit')
    expect(identifyProcess(orphans.pids.postgres!)).toBeDefined()

    const engines = await start()
    expect(identifyProcess(orphans.pids.postgres!)).toBeUndefined()
    expect(identifyProcess(orphans.pids.nats!)).toBeUndefined()
    expect(engines.databaseUrl).toBe(orphans.databaseUrl)
    expect(await query(engines.databaseUrl, 'select answer from notes')).toEqual([{ answer: 42 }])
  })

  it('is not misled by a pid file that names another living process', async () => {
    await (await start()).stop()
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n`)
    expect(await (await start()).ready()).toEqual({ postgres: true, nats: true })
  })

  it('starts although the parent of the dead PostgreSQL server has not reaped it', async () => {
    await (await start()).stop()
    await using zombie = await createZombie(await unprivilegedAccount())
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${zombie.pid}\n`)

    expect(await query((await start()).databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('starts no engines when external servers are configured', async () => {
    const { databaseUrl, natsUrl } = await start()
    const outside = await start({ dataDir: join(parent, 'other'), databaseUrl, natsUrl })
    expect(outside).toMatchObject({ databaseUrl, natsUrl, pids: {} })
    expect(await outside.ready()).toEqual({ postgres: true, nats: true })
  })

  it('reports an unreachable external server in one sentence, and leaves no files behind', async () => {
    const port = await freePort()
    const natsUrl = `nats://127.0.0.1:${port}`
    await expect(start({ natsUrl })).rejects.toThrow(
      new EngineError(
        `NATS cannot be reached at 127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port})`,
      ),
    )
    expect(await (await start()).ready()).toEqual({ postgres: true, nats: true })
  })

  it('reports why PostgreSQL did not start', async () => {
    await (await start()).stop()
    await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), 'shared_buffers = many\n')
    await expect(start()).rejects.toThrow(
      /^postgres did not start: exit code 1; its log ends with: .*invalid value for parameter "shared_buffers"/,
    )
  })

  it('rejects a data folder whose password is lost', async () => {
    await (await start()).stop()
    await rm(join(dataDir, 'engines.json'))
    await expect(start()).rejects.toThrow(
      /^the password of the PostgreSQL data in .* is missing: restore engines\.json/,
    )
  })

  it('does not create an empty database when the data folder of PostgreSQL is missing', async () => {
    await (await start()).stop()
    await rm(join(dataDir, 'postgres'), { recursive: true })
    await expect(start()).rejects.toThrow(
      /^the PostgreSQL data in .* is missing: restore it, or remove/,
    )
  })

  it('keeps data in a private folder, or outside it when run as root, whose PostgreSQL runs as another user', async () => {
    await chmod(parent, 0o700)
    const first = await start()
    const state = JSON.parse(await readFile(join(dataDir, 'engines.json'), 'utf8')) as {
      postgres: { folder?: string }
    }
    const inside = join(dataDir, 'postgres')
    const { folder = inside } = state.postgres
    try {
      const told = messages.find((message) => message.startsWith('postgres stores its data in'))
      if (isRoot) {
        expect(folder).toMatch(/^\/var\/lib\/sheaf\/[0-9a-f]{16}\/postgres$/)
        expect(told).toContain(folder)
      } else {
        expect(folder).toBe(inside)
        expect(told).toBeUndefined()
      }
      await query(first.databaseUrl, 'create table notes as select 42 as answer')
      await first.stop()

      await chmod(parent, 0o755) // an open folder later on must not hide the data
      const second = await start()
      expect(await query(second.databaseUrl, 'select answer from notes')).toEqual([{ answer: 42 }])
      await second.stop()
    } finally {
      if (folder !== inside) await rm(dirname(folder), { recursive: true })
    }
  })
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<object>(sql)).rows
  } finally {
    await client.end()
  }
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}

/** Asks again as soon as it was answered no: each question is a round trip to both engines. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come true within 60 s')
  }
}

/** A dead process that stays in the process table, because its parent does not wait for it. */
async function createZombie(account?: Account): Promise<{ pid: number } & AsyncDisposable> {
  const script = 'sleep 0.1 & echo $!; exec sleep 600'
  const parent = spawn('/bin/sh', ['-c', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/',
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  const exited = once(parent, 'exit')
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string]
  const pid = Number(line)
  await until(async () => (await readFile(`/proc/${pid}/status`, 'utf8')).includes('State:\tZ'))
  const end = async () => {
    parent.kill('SIGKILL')
    await exited
  }
  return { pid, [Symbol.asyncDispose]: end }
}
