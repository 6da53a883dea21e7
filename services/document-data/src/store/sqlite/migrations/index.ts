import type { Database } from 'better-sqlite3'
import { AppError } from '@sheaf/kit/errors'
import { migrations } from './all'

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

/** Format of a document file: the number of migrations that were applied to it, its `user_version`. */
export const newestVersion = migrations.length

/**
 * The last format that files had before formats were recorded in the logs of documents. Older files are brought to it without
 * a record, which every instance does alike.
 */
export const FIRST_FORMAT = 13

/**
 * The oldest and the newest format that this release reads and writes. Raise `min` only where its code no longer works with an
 * older one: with replication, instances of the release before cannot run beside it then.
 */
export const formats = { min: FIRST_FORMAT, max: newestVersion } as const

/** The format that a document gets of an instance that may write formats up to this one. */
export function writableFormat(allowed: number): number {
  return Math.min(Math.max(allowed, formats.min), formats.max)
}

/** The format of a document file. */
export function formatOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

/** Throws `unavailable` for a file that is a database but was never a document: an empty one, for example. */
export function requireDocumentFile(db: Database): void {
  if (formatOf(db) === 0)
    throw new AppError('unavailable', 'DOCUMENT_DAMAGED', 'the document file is damaged')
}

/** How a document file is migrated. */
export interface MigrationOptions {
  /** False when all positions are given elsewhere: then the migration itself takes none. True by default. */
  readonly takesPosition?: boolean
  /** Format to stop at; the newest by default. */
  readonly upTo?: number
}

/**
 * Migrates a document file to a format, unless it has that or a newer one. Throws `unavailable` for a file, or a format, of a
 * newer version of Sheaf.
 */
export function migrate(
  db: Database,
  { takesPosition = true, upTo = newestVersion }: MigrationOptions = {},
): void {
  const version = formatOf(db)
  if (Math.max(version, upTo) > newestVersion)
    throw new AppError(
      'unavailable',
      'DOCUMENT_TOO_NEW',
      'the document was written by a newer version of Sheaf',
    )
  if (version >= upTo) return
  db.transaction(() => {
    for (const sql of migrations.slice(version, upTo)) db.exec(sql)
    if (takesPosition) db.exec(TAKE_POSITION)
    db.pragma(`user_version = ${upTo}`)
  }).immediate()
}
