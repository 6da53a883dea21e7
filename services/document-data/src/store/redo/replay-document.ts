import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { unpackBase } from '../sqlite/base-file'
import { Connection, openReader } from '../sqlite/connections'
import { BASE_FILE, DOCUMENT_FILE } from '../sqlite/document-files'
import { migrate, newestVersion } from '../sqlite/migrations/index'
import { readEntries } from '../log/log'
import { compareDocuments } from './compare-documents'
import { replayLog } from './replay-log'

/** The result of making a document again. */
export interface Replay {
  /** Entries that were applied to the base. */
  readonly entries: number
  /** Why the document was not made again, as the end of a sentence; absent when it was. */
  readonly skipped?: string
  /** What differs, in words without values; empty when the documents are equal. */
  readonly differences: readonly string[]
}

const skip = (skipped: string): Replay => ({ entries: 0, skipped, differences: [] })

/**
 * Makes the document in a folder again, from its base and its log, in a temporary folder, and compares the two as of
 * one moment. Only reads the document, which may be in use. Takes as much disk as the document, and holds the read
 * transaction until it is done. Throws RedoError, LogDamaged and errors of SQLite, which mean that the log does not
 * make the document.
 */
export async function replayDocument(folder: string): Promise<Replay> {
  const scratch = await mkdtemp(join(tmpdir(), 'sheaf-replay-'))
  try {
    const made = join(scratch, DOCUMENT_FILE)
    const base = join(folder, BASE_FILE)
    const hasBase = existsSync(base)
    if (hasBase) await unpackBase(base, made)
    const from = openReader(join(folder, DOCUMENT_FILE))
    const to = new Connection(new Database(made))
    try {
      // Nobody reads the copy after a crash.
      to.db.pragma('journal_mode = MEMORY')
      to.db.pragma('synchronous = OFF')
      migrate(to.db)
      return from.db.transaction(() => replay(from, to, hasBase))()
    } finally {
      from.close()
      to.close()
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function replay(from: Connection, to: Connection, hasBase: boolean): Replay {
  if (Number(from.db.pragma('user_version', { simple: true })) < newestVersion)
    return skip('it has not been opened by this release')
  if (!hasBase && !wasCreatedEmpty(from))
    return skip('it has no base: it comes from an earlier release')
  const entries = replayLog(from, to)
  return { entries, differences: compareDocuments(from, to) }
}

function wasCreatedEmpty(connection: Connection): boolean {
  const [first] = readEntries(connection, { after: 0, upTo: 1, maxBytes: Number.MAX_SAFE_INTEGER })
  const [operation] = first?.operations ?? []
  return operation !== undefined && 'redo' in operation && operation.redo?.document !== undefined
}
