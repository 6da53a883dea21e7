import {
  Kysely,
  PostgresDialect,
  sql,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely'
import { Pool, types, type PoolClient } from 'pg'
import { AppError } from '../errors'
import type { Logger } from '../logger'
import { traceConnect, traceQuery } from '../telemetry/query-span'
import { observePool } from './database-metrics'

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 30_000
/** A connection without a response is closed shortly after PostgreSQL's own statement timeout. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
/** Statements beyond this number run unprepared; a service has a few dozen. */
const PREPARED_TEXTS = 500

/** Options of openDatabase. */
export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** The service's own PostgreSQL schema, set as the search path. */
  readonly schema: string
  readonly log: Logger
  /** Maximum number of connections; 10 by default. */
  readonly maxConnections?: number
  /**
   * Maximum number of queries and transactions that wait for a connection; 500 by default. Further ones fail
   * at once.
   */
  readonly maxWaiting?: number
  /** Called whenever PostgreSQL is found to be unavailable. */
  readonly onUnavailable?: () => void
}

/**
 * Opens a pool of connections to PostgreSQL, which connects on first use. While the server is unavailable,
 * queries fail with AppError `unavailable`; they succeed again once it returns. Statements are prepared once
 * per connection; int8 is read as a number (also in arrays), timestamptz as a Date. Close with `destroy()`.
 */
export function openDatabase<DB>(options: DatabaseOptions): Kysely<DB> {
  const { log, maxConnections = 10, maxWaiting = 500, onUnavailable = () => {} } = options
  const pool = new Pool({
    connectionString: withSearchPath(options.url, options.schema),
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser },
  })
  const observed = observePool(pool)
  const noteLoss = (error: Error) => {
    log.warn({ reason: error.message }, 'lost a connection to PostgreSQL')
    onUnavailable()
  }
  pool.on('error', noteLoss)
  // A connection that breaks while in use also emits an error, when the pool does not listen.
  pool.on('connect', (client) => client.on('error', noteLoss))
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: guard(pool, maxWaiting, onUnavailable, observed) }),
  })
}

const INT8 = 20
const INT8_ARRAY: number = 1016

/** Counters and ids stay far below 2^53, so int8 needs no BigInt. */
function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 && format !== 'binary') return Number
  if (oid === INT8_ARRAY && format !== 'binary') return readNumbers
  return format === 'binary' ? types.getTypeParser(oid, 'binary') : types.getTypeParser(oid)
}

/** The driver's own parser splits the array into strings. */
function readNumbers(list: string): number[] {
  const parse = types.getTypeParser(INT8_ARRAY) as (text: string) => string[]
  return parse(list).map(Number)
}

/** Returns the URL with a search path for the schema; options that it already contains are kept. */
export function withSearchPath(url: string, schema: string): string {
  const [, stated] = /[?&]options=([^&]*)/.exec(url) ?? []
  // JIT compilation pays off for long analytical queries, not for key look-ups.
  const setting = `-c search_path=${schema} -c jit=off`
  const all = stated === undefined ? setting : `${decodeURIComponent(stated)} ${setting}`
  const rest = url.replace(/([?&])options=[^&]*&?/, '$1').replace(/[?&]$/, '')
  return `${rest}${rest.includes('?') ? '&' : '?'}options=${encodeURIComponent(all)}`
}

/** Adapts the pool for Kysely: statements are prepared under a name, and connection errors are translated. */
function guard(
  pool: Pool,
  maxWaiting: number,
  onUnavailable: () => void,
  observed: Disposable,
): PostgresPool {
  const translate = (error: unknown): unknown => {
    const known = toUnavailable(error)
    if (known) onUnavailable()
    return known ?? error
  }
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= PREPARED_TEXTS) return known
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
  const guarded = new WeakMap<PoolClient, PostgresPoolClient>()
  const guardClient = (client: PoolClient): PostgresPoolClient => {
    let broken = false
    const query = async (text: string, values: unknown[]) => {
      try {
        return await traceQuery(text, () => client.query({ name: nameOf(text), text, values }))
      } catch (error) {
        const translated = translate(error)
        broken ||= translated !== error
        throw translated
      }
    }
    return {
      query: query as unknown as PostgresPoolClient['query'],
      // A connection that may still await an earlier response must not return to the pool.
      release: () => client.release(broken),
    }
  }
  return {
    async connect() {
      if (pool.waitingCount >= maxWaiting) throw tooManyWait()
      const client = await (
        pool.idleCount > 0 ? pool.connect() : traceConnect(() => pool.connect())
      ).catch((error: unknown) => {
        throw translate(error)
      })
      // Kysely identifies connections by object, so each connection keeps one wrapper for its lifetime.
      const known = guarded.get(client) ?? guardClient(client)
      guarded.set(client, known)
      return known
    },
    end() {
      observed[Symbol.dispose]()
      return pool.end()
    },
  }
}

/** Rejected at once: behind so many others, a request would most likely time out. */
function tooManyWait(): AppError {
  return new AppError('unavailable', 'DATABASE_BUSY', 'server busy, retry later', {
    retryAfterMs: '1000',
  })
}

/** Error codes of the operating system and PostgreSQL for an unavailable server. */
const UNAVAILABLE =
  /^(ECONN\w+|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[1-5]|53300|25006)$/
/** Messages of the pg driver's own errors, which have no code. */
const DRIVER_UNAVAILABLE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after)/

/** Returns AppError `unavailable` when the error means that PostgreSQL is unavailable, else undefined. */
export function toUnavailable(error: unknown): AppError | undefined {
  const { code, message, errors } = readFields(error)
  // When all addresses of a name refuse, the error is an AggregateError with the code of the first one.
  const isAway =
    typeof code === 'string'
      ? UNAVAILABLE.test(code)
      : Array.isArray(errors) || (typeof message === 'string' && DRIVER_UNAVAILABLE.test(message))
  if (!isAway) return undefined
  return new AppError('unavailable', 'DATABASE_UNAVAILABLE', 'database unavailable, retry later')
}

/** Serialization failures and deadlocks, or a referenced row that was deleted after it was looked up. */
const OVERTAKEN = /^(40001|40P01|23503)$/
const ATTEMPTS = 3

/**
 * Runs a transaction, and retries it from the start when it conflicts with concurrent transactions. `fn` must
 * therefore have no effects outside the database, and must read everything that it depends on within the
 * transaction.
 */
export async function transact<DB, T>(
  db: Kysely<DB>,
  fn: (trx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(fn)
    } catch (error) {
      const { code } = readFields(error)
      if (attempt === ATTEMPTS || typeof code !== 'string' || !OVERTAKEN.test(code)) throw error
    }
  }
}

/** Runs reads on one consistent snapshot. */
export function readSnapshot<DB, T>(
  db: Kysely<DB>,
  fn: (trx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(fn)
}

/** Returns the name of the unique constraint that a statement violated, else undefined. */
export function brokenUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint } = readFields(error)
  if (code !== '23505') return undefined
  return typeof constraint === 'string' ? constraint : ''
}

function readFields(error: unknown): Readonly<Record<string, unknown>> {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
}

/** One step of a schema. Steps are numbered by their position in the list, and never change once released. */
export interface Migration {
  /** Number and purpose, like its file name: `001-init`. */
  readonly name: string
  up(db: Transaction<unknown>): Promise<void>
}

/**
 * Migrates a schema to the latest version, and creates it if missing. Each step is one transaction under a
 * lock, so processes may start concurrently. Throws when a newer program has already migrated the schema.
 */
export async function migrate<DB>(
  db: Kysely<DB>,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const database = db as unknown as Kysely<unknown>
  let done = false
  while (!done)
    done = await database.transaction().execute((trx) => migrateOnce(trx, schema, migrations))
}

/** Runs the next step; returns true when there was none left. */
async function migrateOnce(
  trx: Transaction<unknown>,
  schema: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  await sql`set local statement_timeout = 0`.execute(trx)
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sheaf migrations of ${schema}`}, 0))`.execute(
    trx,
  )
  const version = await readVersion(trx, schema)
  if (version > migrations.length)
    throw new Error(
      `the database schema "${schema}" is at version ${version} but this release supports only ${migrations.length}: start a newer release`,
    )
  const next = migrations[version]
  if (!next) return true
  await next.up(trx)
  await sql`insert into migrations (version, name) values (${version + 1}, ${next.name})`.execute(
    trx,
  )
  return false
}

async function readVersion(trx: Transaction<unknown>, schema: string): Promise<number> {
  const found = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(trx)
  if (found.rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(trx)
  await sql`
    create table if not exists ${sql.id(schema)}.migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`.execute(trx)
  const { rows } = await sql<{ version: number }>`
    select coalesce(max(version), 0) as version from ${sql.id(schema)}.migrations`.execute(trx)
  return rows[0]?.version ?? 0
}
