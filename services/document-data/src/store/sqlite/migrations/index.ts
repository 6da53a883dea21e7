import type { Database } from 'better-sqlite3'
import { AppError } from '@sheaf/kit/errors'
import { sql as init } from './001-init'
import { sql as refs } from './002-refs'
import { sql as repliesSize } from './003-replies-size'
import { sql as files } from './004-files'
import { sql as logChecksum } from './005-log-checksum'
import { sql as recordPositions } from './006-record-positions'
import { sql as formulas } from './007-formulas'
import { sql as recordTimes } from './008-record-times'
import { sql as orders } from './009-orders'
import { sql as dueCells } from './010-due-cells'
import { sql as terms } from './011-terms'
import { sql as origins } from './012-origins'
import { sql as keys } from './013-keys'

/**
 * Append-only, never edited after a release; `user_version` of a file is the number of applied migrations.
 */
const migrations: readonly string[] = [
  init,
  refs,
  repliesSize,
  files,
  logChecksum,
  recordPositions,
  formulas,
  recordTimes,
  orders,
  dueCells,
  terms,
  origins,
  keys,
]

/**
 * A migration of a document is a record of its log, with a position of its own behind all others. A file without
 * `_sheaf_state` is not a document yet.
 */
const TAKE_POSITION = `
  UPDATE _sheaf_state SET
    lsn = 1 + max(lsn,
      coalesce((SELECT coalesce(lsn, seq) FROM _sheaf_log ORDER BY seq DESC LIMIT 1), 0),
      coalesce((SELECT lsn FROM _sheaf_replies ORDER BY rowid DESC LIMIT 1), 0)),
    time = max(time, CAST(unixepoch('subsec') * 1000 AS INTEGER),
      coalesce((SELECT time FROM _sheaf_log ORDER BY seq DESC LIMIT 1), 0),
      coalesce((SELECT time FROM _sheaf_replies ORDER BY rowid DESC LIMIT 1), 0))`

/** `user_version` of the newest schema. */
export const newestVersion = migrations.length

/** Throws `unavailable` for a file that is a database but was never a document: an empty one, for example. */
export function requireDocumentFile(db: Database): void {
  if (db.pragma('user_version', { simple: true }) === 0)
    throw new AppError('unavailable', 'DOCUMENT_DAMAGED', 'the document file is damaged')
}

/**
 * Migrates a document file to the newest schema. Throws `unavailable` for a file written by a newer version
 * of Sheaf.
 * @param takesPosition false when all positions are given elsewhere: then the migration is not a record
 */
export function migrate(db: Database, { takesPosition = true } = {}): void {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version === migrations.length) return
  if (version > migrations.length)
    throw new AppError(
      'unavailable',
      'DOCUMENT_TOO_NEW',
      'the document was written by a newer version of Sheaf',
    )
  db.transaction(() => {
    for (const sql of migrations.slice(version)) db.exec(sql)
    if (takesPosition) db.exec(TAKE_POSITION)
    db.pragma(`user_version = ${migrations.length}`)
  }).immediate()
}
