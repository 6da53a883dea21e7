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
/** A server that went away without a word is given up a little after it should have given up itself. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
/** Texts beyond this many are run unprepared; a service has some dozens. */
const PREPARED_TEXTS = 500

/** What openDatabase needs. */
export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** The service's own PostgreSQL schema: where unqualified names are looked up. */
  readonly schema: string
  readonly log: Logger
  /** Most connections at once; 10 unless given. */
  readonly maxConnections?: number
  /** Most queries and transactions that wait for a connection; 500 unless given. More are refused at once. */
  readonly maxWaiting?: number
  /** Called whenever PostgreSQL turns out to be out of reach. */
  readonly onUnavailable?: () => void
}

/**
 * A pool of connections to PostgreSQL, made when first needed. While the server is away, queries fail with AppError
 * `unavailable`, and they work again when it is back. Statements are prepared once per connection, int8 reads as a
 * number (also in lists), timestamptz as a Date. Close with `destroy()`.
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
  // A connection that breaks while in use emits too, and the pool does not listen then.
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

/** The driver's own parser takes the list apart, and leaves texts. */
function readNumbers(list: string): number[] {
  const parse = types.getTypeParser(INT8_ARRAY) as (text: string) => string[]
  return parse(list).map(Number)
}

/** The address, with the schema to look names up in; options that it states already are kept. */
export function withSearchPath(url: string, schema: string): string {
  const [, stated] = /[?&]options=([^&]*)/.exec(url) ?? []
  // Compiling plans pays for long analyses, not for look-ups by key.
  const setting = `-c search_path=${schema} -c jit=off`
  const all = stated === undefined ? setting : `${decodeURIComponent(stated)} ${setting}`
  const rest = url.replace(/([?&])options=[^&]*&?/, '$1').replace(/[?&]$/, '')
  return `${rest}${rest.includes('?') ? '&' : '?'}options=${encodeURIComponent(all)}`
}

/** The pool as Kysely wants it, with statements prepared under a name and the loss of the server translated. */
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
      // The pool must not hand out again what may still wait for the answer to an earlier statement.
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
      // Kysely tells connections apart by the object, so each has one for its whole life.
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

/** Refused at once: whoever waits behind so many others would mostly wait in vain. */
function tooManyWait(): AppError {
  return new AppError('unavailable', 'DATABASE_BUSY', 'server busy, retry later', {
    retryAfterMs: '1000',
  })
}

/** What the operating system and PostgreSQL say when the server cannot be used at the moment. */
const UNAVAILABLE =
  /^(ECONN\w+|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[1-5]|53300|25006)$/
/** The pg driver's own errors have no code. */
const DRIVER_UNAVAILABLE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after)/

/** AppError `unavailable` when the error means that PostgreSQL cannot be used now, else undefined. */
export function toUnavailable(error: unknown): AppError | undefined {
  const { code, message, errors } = readFields(error)
  // Several addresses of one name that all refuse come as an AggregateError, whose code is the first one's.
  const isAway =
    typeof code === 'string'
      ? UNAVAILABLE.test(code)
      : Array.isArray(errors) || (typeof message === 'string' && DRIVER_UNAVAILABLE.test(message))
  if (!isAway) return undefined
  return new AppError('unavailable', 'DATABASE_UNAVAILABLE', 'database unavailable, retry later')
}

/** Two transactions waited for each other, or what a row refers to has gone since it was looked up. */
const OVERTAKEN = /^(40001|40P01|23503)$/
const ATTEMPTS = 3

/**
 * Runs a transaction, and from its beginning again when it was overtaken by others, of which the next look finds what they
 * did. So `fn` does nothing besides working with the database, and looks up within the transaction what it goes by.
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

/** Runs reads that all see the same moment. */
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

/** The name of the constraint that a statement has broken by a value that is there already, else undefined. */
export function brokenUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint } = readFields(error)
  if (code !== '23505') return undefined
  return typeof constraint === 'string' ? constraint : ''
}

function readFields(error: unknown): Readonly<Record<string, unknown>> {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
}

/** One step of a schema. Steps are numbered by their place in the list, and never change once released. */
export interface Migration {
  /** Its number and what it does, as its file is called: `001-init`. */
  readonly name: string
  up(db: Transaction<unknown>): Promise<void>
}

/**
 * Brings a schema up to date, making it when it is missing. Each step is one transaction under a lock, so processes
 * that start together do not disturb each other. Throws when a newer program has migrated the schema already.
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

/** Runs the next step; true when there was none left. */
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
