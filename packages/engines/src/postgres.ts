import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Client, DatabaseError } from 'pg'
import { failureOf, unprivilegedAccount } from './account'
import type { Account } from './account'
import { EngineError } from './engine-error'
import { EngineProcess } from './engine-process'
import type { EngineState } from './engine-state'
import { loopback } from './free-port'
import { choosePostgresFolder, makePrivateFolder } from './postgres-folder'
import { findPostgres } from './postgres-install'
import type { PostgresPrograms } from './postgres-install'
import type { EngineSetting, PreparedEngine } from './prepared-engine'
import { findProcesses, identifyProcess, terminate } from './process-table'
import { serverUrl } from './server-url'

const superuser = 'sheaf'
const database = 'sheaf'
const majorVersion = '18'

/** SIGINT is PostgreSQL's fast shutdown: open transactions roll back and a checkpoint is written. */
const stop = { signal: 'SIGINT', graceMs: 20_000 } as const

/** Finds PostgreSQL, ends a server left by a killed Sheaf, and initialises the data on first use. */
export async function preparePostgres(setting: EngineSetting): Promise<PreparedEngine> {
  const { dataDir, state, log } = setting
  const { folder, account } = await choosePostgresFolder({
    dataDir,
    remembered: state.postgres?.folder,
    account: await unprivilegedAccount(),
    log,
  })
  const programs = await findPostgres({ ...setting, account })
  await endOrphanProcesses(folder)

  const password = state.postgres?.password ?? randomBytes(24).toString('hex')
  if (existsSync(folder)) {
    await requireOurs(folder, state)
  } else {
    requireFirstStart(setting, folder)
    state.postgres = { password, folder: inside(dataDir, folder) }
    await setting.save() // saved first: data without its password would be lost
    await initialise({ programs, folder, account, password })
  }

  const url = (port: number, name = database) =>
    serverUrl('postgres', { user: superuser, password }, { port, path: `/${name}` })
  return {
    url,
    start: async (port) => {
      const engine = await EngineProcess.start(
        {
          name: 'postgres',
          command: programs.postgres,
          args: serverArguments(folder, port),
          cwd: folder,
          account,
          logFile: join(dataDir, 'logs', 'postgres.log'),
          stop,
          probe: () => probePostgres(url(port, 'postgres')),
        },
        log,
      )
      await createDatabase(url(port, 'postgres')).catch(async (error: unknown) => {
        await engine.stop()
        throw error
      })
      return engine
    },
  }
}

/** Resolves when PostgreSQL answers a query at this URL. */
export async function probePostgres(url: string): Promise<void> {
  await query(url, 'select 1').catch((error: unknown) => {
    if (error instanceof DatabaseError && error.code === '28P01') {
      throw new EngineError('PostgreSQL rejected the password in engines.json')
    }
    throw error
  })
}

/** Restricts the server to this machine by arguments rather than configuration files. */
function serverArguments(folder: string, port: number): string[] {
  const settings = {
    listen_addresses: loopback,
    port,
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    logging_collector: 'off',
    cluster_name: 'sheaf',
  }
  return ['-D', folder, ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`])]
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  // A server that dies under an open connection also emits an error event, which must have a listener.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<object>(sql)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function createDatabase(url: string): Promise<void> {
  const found = await query(url, `select 1 from pg_database where datname = '${database}'`)
  if (found.length === 0) await query(url, `create database ${database}`)
}

interface NewCluster {
  programs: PostgresPrograms
  folder: string
  account?: Account
  password: string
}

/** Initialises in a draft folder and renames it, so that an interrupted start leaves no partial cluster. */
async function initialise({ programs, folder, account, password }: NewCluster): Promise<void> {
  const draft = draftOf(folder)
  const passwordFile = `${folder}.password`
  await rm(draft, { recursive: true, force: true })
  await makePrivateFolder(draft, account)
  try {
    await rm(passwordFile, { force: true })
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (account) await chown(passwordFile, account.uid, account.gid)
    const problem = await failureOf(
      programs.initdb,
      [
        ...['--pgdata', draft, '--username', superuser, '--pwfile', passwordFile],
        // The same sort order on every machine, independent of its locales.
        ...['--encoding', 'UTF8', '--no-locale', '--locale-provider', 'builtin'],
        ...['--builtin-locale', 'C.UTF-8', '--auth', 'scram-sha-256', '--no-instructions'],
      ],
      account,
    )
    if (problem) throw new EngineError(`PostgreSQL could not initialize ${folder}: ${problem}`)
    await rename(draft, folder)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/** Missing data is never replaced with an empty database, because the documents depend on it. */
function requireFirstStart({ dataDir, state }: EngineSetting, folder: string): void {
  if (state.postgres?.port === undefined) return // set only by a successful start
  const stateFile = join(dataDir, 'engines.json')
  throw new EngineError(
    `the PostgreSQL data in ${folder} is missing: restore it, or remove ${stateFile} to start with an empty database`,
  )
}

async function requireOurs(folder: string, state: EngineState): Promise<void> {
  if (!state.postgres) {
    throw new EngineError(
      `the password of the PostgreSQL data in ${folder} is missing: restore engines.json, or remove the folder`,
    )
  }
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version === majorVersion) return
  throw new EngineError(
    `the data in ${folder} belongs to PostgreSQL ${version || '(unknown version)'}, which PostgreSQL ${majorVersion} cannot read`,
  )
}

/** A killed supervisor leaves its server running, or a stale pid file. */
async function endOrphanProcesses(folder: string): Promise<void> {
  const running = [
    ...findProcesses('postgres', folder),
    ...findProcesses('initdb', draftOf(folder)),
  ]
  await Promise.all(running.map((orphan) => terminate(orphan, stop.signal, stop.graceMs)))
  const pidFile = join(folder, 'postmaster.pid')
  const pid = parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
  // PostgreSQL detects the pid of a dead process, but mistakes any running process of the same user for a
  // server; no server of this folder is running here.
  if (Number.isInteger(pid) && identifyProcess(pid)) await rm(pidFile, { force: true })
}

/** Folder in which a cluster is initialised before it is renamed into place. */
function draftOf(folder: string): string {
  return `${folder}.new`
}

/** Undefined for the default location, so that a data folder can be moved as a whole. */
function inside(dataDir: string, folder: string): string | undefined {
  return dirname(folder) === dataDir && basename(folder) === 'postgres' ? undefined : folder
}
