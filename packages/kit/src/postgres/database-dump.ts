import { sql, type Kysely, type Transaction } from 'kysely'
import { AppError } from '../errors'

/** A table of a dump. */
export interface DumpedTable {
  readonly name: string
  /** SQL condition on `t` that selects the rows to dump; all rows by default. */
  readonly where?: string
}

/** The parts of a service's schema to dump. */
export interface DumpPlan {
  readonly schema: string
  /** Number of migrations: rows are restored only into tables of the same version. */
  readonly version: number
  /** In an order that satisfies foreign keys. */
  readonly tables: readonly DumpedTable[]
}

/** A line of a dump. */
interface Line {
  readonly schema?: string
  readonly version?: number
  readonly table?: string
  readonly rows?: readonly unknown[]
  readonly sequences?: Readonly<Record<string, number>>
  readonly end?: boolean
}

const FETCHED = 100
/** Keeps lines far below the gRPC message limit. */
const LINE_CHARS = 256 * 1024

/** Yields a consistent snapshot of the tables as lines of JSON; the last line marks the end. */
export async function* dumpTables<DB>(
  db: Kysely<DB>,
  { schema, version, tables }: DumpPlan,
): AsyncGenerator<string> {
  const trx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  try {
    yield JSON.stringify({ schema, version })
    for (const table of tables) yield* dumpTable(trx, table)
    yield JSON.stringify({ sequences: await readSequences(trx, schema) })
    yield JSON.stringify({ end: true })
  } finally {
    await trx.rollback().execute()
  }
}

async function* dumpTable<DB>(
  trx: Transaction<DB>,
  { name, where = 'true' }: DumpedTable,
): AsyncGenerator<string> {
  const rows = `select to_json(t)::text as json from "${name}" t where ${where}`
  await sql.raw(`declare dumped no scroll cursor for ${rows}`).execute(trx)
  for (;;) {
    const { rows } = await sql<{ json: string }>`fetch ${sql.lit(FETCHED)} from dumped`.execute(trx)
    if (rows.length === 0) break
    let piece: string[] = []
    let size = 0
    for (const { json } of rows) {
      if (size > 0 && size + json.length > LINE_CHARS) {
        yield toLine(name, piece)
        piece = []
        size = 0
      }
      piece.push(json)
      size += json.length
    }
    yield toLine(name, piece)
  }
  await sql`close dumped`.execute(trx)
}

/** The rows are JSON already. */
const toLine = (table: string, rows: readonly string[]) =>
  `{"table":${JSON.stringify(table)},"rows":[${rows.join(',')}]}`

/** Sequences keep their values, so that ids of deleted rows are not reused. */
async function readSequences<DB>(
  trx: Transaction<DB>,
  schema: string,
): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; last: number }>`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = ${schema} and last_value is not null`.execute(trx)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

/**
 * Fills empty tables from the output of `dumpTables`. Throws AppError `precondition` for a dump of another
 * version, `invalid` for malformed or incomplete input; the transaction must then be rolled back.
 */
export class TableRestore<DB> {
  private readonly columns = new Map<string, string>()
  private begun = false
  private ended = false

  constructor(
    private readonly trx: Transaction<DB>,
    private readonly plan: DumpPlan,
  ) {}

  /** Processes the next line. */
  async take(text: string): Promise<void> {
    const line = readLine(text)
    if (this.ended) throw badDump('it continues after its last line')
    if (!this.begun) return this.begin(line)
    if (line.end) this.ended = true
    else if (line.table !== undefined) await this.insert(line.table, text)
    else if (line.sequences) await this.setSequences(line.sequences)
    else throw badDump('a line has an unknown type')
  }

  /** Throws unless the last line was the end marker. */
  finish(): void {
    if (!this.ended) throw badDump('it is incomplete')
  }

  private begin({ schema, version }: Line): void {
    const { plan } = this
    if (schema !== plan.schema) throw badDump(`it is not of ${plan.schema}`)
    if (version !== plan.version)
      throw new AppError(
        'precondition',
        'BACKUP_OF_OTHER_VERSION',
        `the backup was made by another version of Sheaf: its ${plan.schema} schema has version ${String(version)}, this release has ${plan.version}`,
      )
    this.begun = true
  }

  private async insert(table: string, text: string): Promise<void> {
    if (!this.plan.tables.some(({ name }) => name === table))
      throw badDump('it has an unknown table')
    const columns = this.columns.get(table) ?? (await this.readColumns(table))
    this.columns.set(table, columns)
    const into = sql.raw(`"${table}" (${columns}) overriding system value select ${columns}`)
    await sql`insert into ${into}
      from json_populate_recordset(null::${sql.table(table)}, ${text}::json -> 'rows')`.execute(
      this.trx,
    )
  }

  /** Generated columns are computed again. */
  private async readColumns(table: string): Promise<string> {
    const { rows } = await sql<{ name: string }>`
      select quote_ident(column_name) as name from information_schema.columns
      where table_schema = ${this.plan.schema} and table_name = ${table} and is_generated = 'NEVER'
      order by ordinal_position`.execute(this.trx)
    return rows.map(({ name }) => name).join(', ')
  }

  private async setSequences(sequences: Readonly<Record<string, number>>): Promise<void> {
    for (const [name, last] of Object.entries(sequences))
      await sql`
        select setval(format('%I.%I', schemaname, sequencename)::regclass, ${last}::bigint) from pg_sequences
        where schemaname = ${this.plan.schema} and sequencename = ${name}`.execute(this.trx)
  }
}

function readLine(text: string): Line {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line === 'object' && line !== null) return line
  } catch {
    // Reported below.
  }
  throw badDump('a line is not JSON')
}

const badDump = (why: string) =>
  new AppError('invalid', 'BAD_BACKUP', `the dump cannot be restored: ${why}`)
