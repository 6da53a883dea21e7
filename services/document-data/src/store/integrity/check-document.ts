import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { requireRow } from '../sqlite/connections'
import { matchesChecksum, type EntryCells } from '../log/entry-checksum'
import { newestVersion } from '../sqlite/migrations/index'
import { checkWriteAheadLog } from './check-wal'

/** Maximum number of SQLite's findings about one file; more would add no information. */
const MOST_PROBLEMS = 5

/** How thorough a check is. */
export interface CheckOptions {
  /** Also compares every index with its table, which takes several times as long. */
  readonly full: boolean
}

/**
 * Checks a document file and describes each finding as the end of a sentence; none when the file is sound.
 * Only reads. Must run in a process that has no other connection to the file: closing a file drops the locks
 * that a process has on it.
 */
export function checkDocument(path: string, options: CheckOptions): string[] {
  const problems = checkQuietly(() => checkWriteAheadLog(`${path}-wal`))
  if (statSync(path).size === 0) return [...problems, 'its file is empty']
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    try {
      db.pragma('trusted_schema = OFF')
      db.pragma('cell_size_check = ON')
      problems.push(...checkOpened(db, options))
    } finally {
      db.close()
    }
  } catch (error) {
    problems.push(`its file cannot be read: ${(error as Error).message}`)
  }
  return problems
}

/**
 * While a log is being written, a check may report transient findings at changing positions; damage is found
 * at the same position again.
 */
function checkQuietly(check: () => string[]): string[] {
  const [first, ...others] = [check(), check(), check()]
  return (first ?? []).filter((problem) => others.every((again) => again.includes(problem)))
}

function checkOpened(db: Database.Database, { full }: CheckOptions): string[] {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version === 0) return ['its file is not a document']
  if (version > newestVersion)
    return [
      `it was written by a newer release (schema version ${version}; this release supports ${newestVersion})`,
    ]
  const check = full ? 'integrity_check' : 'quick_check'
  const rows = db.pragma(`${check}(${MOST_PROBLEMS})`) as Record<string, string>[]
  const found = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok')
  const damage = found.map((text) => `its file is damaged: ${text.replace(/\s*\n\s*/g, '; ')}`)
  return [...damage, ...checkLog(db), ...checkEntries(db, version)]
}

/** Schema versions since which entries of the log have a checksum, a position, and a key. */
const CHECKSUM_VERSION = 5
const POSITION_VERSION = 6
const KEY_VERSION = 13

/** Compares the entries of the log with their checksums. */
function checkEntries(db: Database.Database, version: number): string[] {
  const checksum = version < CHECKSUM_VERSION ? 'NULL AS checksum' : 'checksum'
  const lsn = version < POSITION_VERSION ? 'NULL AS lsn' : 'lsn'
  const keyId = version < KEY_VERSION ? '0 AS keyId' : 'key_id AS keyId'
  const rows = db
    .prepare<[], EntryCells & { readonly checksum: number | null }>(
      `SELECT seq, ${lsn}, time, user, ${keyId}, cause, traceparent, tables, operations, ${checksum}
       FROM _sheaf_log ORDER BY seq`,
    )
    .iterate()
  const damaged: number[] = []
  let count = 0
  try {
    for (const row of rows) {
      if (matchesChecksum(row) && (row.checksum !== null || isJson(row))) continue
      count++
      if (damaged.length < MOST_PROBLEMS) damaged.push(row.seq)
    }
  } catch (error) {
    return [`its log cannot be read: ${(error as Error).message}`]
  }
  if (count === 0) return []
  const more = count > damaged.length ? `, and ${count - damaged.length} more` : ''
  return [`its log is damaged in the entries ${damaged.join(', ')}${more}`]
}

function isJson({ tables, operations }: EntryCells): boolean {
  try {
    for (const text of [tables, operations]) JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function checkLog(db: Database.Database): string[] {
  const log = requireRow(
    db
      .prepare<[], { first: number | null; last: number; entries: number }>(
        'SELECT min(seq) AS first, max(seq) AS last, count(*) AS entries FROM _sheaf_log',
      )
      .get(),
  )
  if (log.first === null) return ['its log is empty']
  const problems: string[] = []
  const missing = log.last - log.first + 1 - log.entries
  if (missing > 0)
    problems.push(`its log lacks ${missing} of the entries from ${log.first} to ${log.last}`)
  const state = db
    .prepare<[], { published: number; batch: number }>(
      'SELECT published_seq AS published, batch_seq AS batch FROM _sheaf_state',
    )
    .get()
  if (!state) return [...problems, 'its published position is missing']
  if (Math.max(state.published, state.batch) > log.last)
    problems.push(
      `it has published changes up to ${Math.max(state.published, state.batch)}, but its log ends at ${log.last}: writes are lost`,
    )
  return problems
}
