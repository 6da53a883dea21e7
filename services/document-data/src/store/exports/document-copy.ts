import { writeFileSync } from 'node:fs'
import { quoteId, quoteText } from '../../quoting/quote'
import { listLocalNames } from '../indexes/auto-indexes'
import { readEpoch } from '../log/publish-state'
import { FIRST_SEQ, readOrigins, storeOrigins, withOrigin, type Origin } from '../log/origins'
import {
  pendingNames,
  storeShownSql,
  toUnfinished,
  UNFINISHED_COLUMNS,
  type UnfinishedRow,
} from '../schema/unfinished-columns'
import { openWriter, requireRow, type Connection } from '../sqlite/connections'

/** What a copy contains. */
export interface CopyForm {
  /** False to leave out the log, and with it the former values of cells. */
  readonly history: boolean
  /** False to leave out rows, attachments and log, keeping only the structure. */
  readonly data: boolean
  /** True to leave out what is known of formulas: a document that is made from the copy computes them again. */
  readonly forgetsFormulas?: boolean
}

/** The moment of a copy. */
export interface CopyMoment {
  /** Position in the log. */
  readonly seq: number
  /** Epoch milliseconds of the log entry at that position. */
  readonly changedAt: number
  /** See `pendingNames`. */
  readonly pendingColumns: string | undefined
}

/** Tables whose rows are not part of any copy. */
const LOCAL_TABLES = [
  '_sheaf_replies',
  '_sheaf_orders',
  // With names and addresses of users.
  '_sheaf_due_cells',
  '_sheaf_due_writes',
]
/** Tables that hold data besides the user tables. */
const DATA_TABLES = [
  '_sheaf_tables',
  // Keys that formulas look up are values of cells.
  '_sheaf_lookup_uses',
  '_sheaf_files',
  '_sheaf_file_chunks',
  '_sheaf_attachments',
  '_grist_Attachments',
]
/** Contents of running uploads, and of files that are being removed, are left out. */
const ROW_CONDITIONS: Readonly<Record<string, string>> = {
  _sheaf_files: 'pending IS NULL',
  _sheaf_file_chunks: 'file_id NOT IN (SELECT id FROM main._sheaf_files WHERE pending IS NOT NULL)',
}

/** Reads the moment that the transaction of a connection sees. */
export function readMoment(connection: Connection): CopyMoment {
  const latest = connection.prepare<Pick<CopyMoment, 'seq' | 'changedAt'>>(
    'SELECT seq, time AS changedAt FROM _sheaf_log ORDER BY seq DESC LIMIT 1',
  )
  return { ...requireRow(latest.get()), pendingColumns: pendingNames(readUnfinished(connection)) }
}

/**
 * Copies a document, as it is at one moment, to a new file: table by table, so that what is left out is never written. The
 * file has no automatic indexes. It is private until the caller hands it on, and is to be discarded on any error.
 */
export function copyDocument(from: string, to: string, form: CopyForm): CopyMoment {
  const connection = openWriter(from)
  try {
    // An empty file is an empty database; the connection creates none.
    writeFileSync(to, '', { flag: 'wx', mode: 0o600 })
    connection.db.exec(`ATTACH ${quoteText(to)} AS copy`)
    for (const pragma of ['page_size', 'application_id', 'user_version'])
      connection.db.pragma(
        `copy.${pragma} = ${Number(connection.db.pragma(pragma, { simple: true }))}`,
      )
    connection.db.exec('PRAGMA copy.journal_mode = OFF; PRAGMA copy.synchronous = OFF; BEGIN')
    const moment = readMoment(connection)
    const unfinished = readUnfinished(connection)
    copyTables(connection, form)
    storeOrigins(connection, form.data ? originsOfCopy(connection, moment) : [], 'copy')
    connection.db.exec('COMMIT; DETACH copy')
    if (unfinished.length > 0) storeShown(to, unfinished.map(storeShownSql))
    return moment
  } finally {
    connection.close()
  }
}

const readUnfinished = (connection: Connection) =>
  connection.prepare<UnfinishedRow>(UNFINISHED_COLUMNS).all().map(toUnfinished)

function copyTables(connection: Connection, form: CopyForm): void {
  const { db } = connection
  const local = listLocalNames(connection)
  const objects = connection
    .prepare<{ type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT GLOB 'sqlite_*'`,
    )
    .all()
    .filter(({ name }) => !local.has(name))
  const empty = new Set([...LOCAL_TABLES, ...leftOut(connection, form)])
  // SQLite keeps the first words of a statement in this form, and without a name of a database.
  const inCopy = (sql: string) => sql.replace(/^CREATE (TABLE|INDEX|UNIQUE INDEX) /, '$&copy.')
  for (const { name, sql } of objects.filter(({ type }) => type === 'table')) {
    db.exec(inCopy(sql))
    if (empty.has(name)) continue
    const condition = ROW_CONDITIONS[name]
    // Without a condition SQLite copies rows as they are stored, without looking at their cells.
    const where = condition && hasPending(connection) ? ` WHERE ${condition}` : ''
    db.exec(`INSERT INTO copy.${quoteId(name)} SELECT * FROM main.${quoteId(name)}${where}`)
  }
  // After the rows, each index is made by one sort.
  for (const { sql } of objects.filter(({ type }) => type === 'index')) db.exec(inCopy(sql))
}

/** A document that is made from the copy has in its first state what the copied one has at this moment. */
function originsOfCopy(connection: Connection, { seq }: CopyMoment): Origin[] {
  const latest = { epoch: readEpoch(connection), seq, at: FIRST_SEQ }
  return withOrigin(latest, readOrigins(connection))
}

/** Tables whose rows a copy of this form does not contain. */
function leftOut(connection: Connection, form: CopyForm): string[] {
  const { history, data, forgetsFormulas } = form
  const log = history && data ? [] : ['_sheaf_log']
  const left = forgetsFormulas ? [...log, '_sheaf_formulas'] : log
  if (data) return left
  const users = connection.pluck<string>('SELECT tableId FROM _grist_Tables').all()
  return [...left, ...DATA_TABLES, ...users]
}

const hasPending = (connection: Connection) =>
  connection.pluck('SELECT EXISTS (SELECT 1 FROM _sheaf_files WHERE pending IS NOT NULL)').get() ===
  1

/** Other programs read the file without knowing which cells are computed. */
function storeShown(path: string, statements: readonly string[]): void {
  const copy = openWriter(path)
  try {
    copy.db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF')
    for (const sql of statements) copy.db.exec(sql)
  } finally {
    copy.close()
  }
}
