import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { findEntry, readOldestSeq } from '@sheaf/document-data/store/log/log'
import { compareDocuments } from '@sheaf/document-data/store/redo/compare-documents'
import { replayLog } from '@sheaf/document-data/store/redo/replay-log'
import { Connection, openWriter } from '@sheaf/document-data/store/sqlite/connections'
import { migrate } from '@sheaf/document-data/store/sqlite/migrations/index'

/** Documents made again from their logs. */
export interface Replayed {
  readonly documents: number
  readonly entries: number
  /** Differences, with the name of the file. */
  readonly differences: readonly string[]
}

/**
 * Makes every document of a data folder again from its log and compares. Documents whose initial content is a
 * base, which the folder does not hold, are skipped.
 */
export function replayDocuments(dataDir: string): Replayed {
  const differences: string[] = []
  let [documents, entries] = [0, 0]
  for (const path of listDocuments(dataDir)) {
    // The system still runs, and removes the files of deleted documents.
    if (!existsSync(path)) continue
    // A reader cannot open a file that has no write-ahead log yet.
    const connection = openWriter(path)
    try {
      const count = replayDocument(connection, (what) => differences.push(`${path}: ${what}`))
      if (count > 0) documents++
      entries += count
    } finally {
      connection.close()
    }
  }
  return { documents, entries, differences }
}

function listDocuments(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('document.sqlite'))
    .map((name) => join(dataDir, name))
}

/** Returns the number of entries; 0 for a document that has a base. */
function replayDocument(connection: Connection, report: (difference: string) => void): number {
  if (readOldestSeq(connection) !== 1) return 0
  const [first] = findEntry(connection, 1, Number.MAX_SAFE_INTEGER)?.operations ?? []
  if (!first || !('redo' in first) || !first.redo?.document) return 0
  const db = new Database(':memory:')
  try {
    migrate(db)
    const made = new Connection(db)
    replayLog(connection, made, 0)
    compareDocuments(connection, made).forEach(report)
    return connection.pluck<number>('SELECT count(*) FROM _sheaf_log').get() ?? 0
  } finally {
    db.close()
  }
}
