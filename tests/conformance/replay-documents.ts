import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { findEntry, readLatestSeq, readOldestSeq } from '@sheaf/document-data/store/log/log'
import { compareDocuments } from '@sheaf/document-data/store/redo/compare-documents'
import { replayLog } from '@sheaf/document-data/store/redo/replay-log'
import { Connection, openReader } from '@sheaf/document-data/store/sqlite/connections'
import { migrate } from '@sheaf/document-data/store/sqlite/migrations/index'

/** Milliseconds between two looks at the documents: the kit deletes most of them within seconds. */
const EVERY_MS = 200

/** Documents made again from their logs. */
export interface Replayed {
  readonly documents: number
  readonly entries: number
  /** Differences, with the name of the file. */
  readonly differences: readonly string[]
}

/**
 * Makes every document of a data folder again from its log while `work` changes them, and at the end, and
 * compares. Documents whose initial content is a base, which the folder does not hold, are skipped.
 */
export async function replayDocumentsDuring<T>(
  dataDir: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly replayed: Replayed }> {
  const differences: string[] = []
  /** Entries by document. */
  const seen = new Map<string, number>()
  const look = () => {
    for (const path of listDocuments(dataDir)) {
      const known = seen.get(path) ?? 0
      const report = (what: string) => differences.push(`${path}: ${what}`)
      try {
        const count = readDocument(path, (connection) => replayDocument(connection, known, report))
        if (count !== undefined && count > known) seen.set(path, count)
      } catch (error) {
        report(String(error))
      }
    }
  }
  const timer = setInterval(look, EVERY_MS)
  try {
    const result = await work()
    look()
    const entries = [...seen.values()].reduce((sum, count) => sum + count, 0)
    return { result, replayed: { documents: seen.size, entries, differences } }
  } finally {
    clearInterval(timer)
  }
}

/** Runs a read on one moment of a document; undefined for a file that is closed or has been removed. */
function readDocument<T>(path: string, read: (connection: Connection) => T): T | undefined {
  let connection: Connection | undefined
  try {
    connection = openReader(path)
    const opened = connection
    return opened.db.transaction(() => read(opened))()
  } catch (error) {
    const isClosed = (error as { code?: unknown }).code === 'SQLITE_CANTOPEN'
    if (isClosed || !existsSync(path)) return undefined
    throw error
  } finally {
    connection?.close()
  }
}

function listDocuments(dataDir: string): string[] {
  const folder = join(dataDir, 'documents')
  return readdirSync(folder)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(folder, name)).map((id) => join(folder, name, id)))
    .map((path) => join(path, 'document.sqlite'))
    .filter((path) => existsSync(path))
}

/** Returns the number of entries; 0 for a document that has a base. Skips a document with `known` entries. */
function replayDocument(
  connection: Connection,
  known: number,
  report: (difference: string) => void,
): number {
  const latest = readLatestSeq(connection)
  if (latest === known || readOldestSeq(connection) !== 1) return 0
  const [first] = findEntry(connection, 1, Number.MAX_SAFE_INTEGER)?.operations ?? []
  if (!first || !('redo' in first) || !first.redo?.document) return 0
  const db = new Database(':memory:')
  try {
    migrate(db)
    const made = new Connection(db)
    replayLog(connection, made, 0)
    compareDocuments(connection, made).forEach(report)
    return latest
  } finally {
    db.close()
  }
}
