import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { AppError } from '@sheaf/kit/errors'
import type { FirstEntry } from '../log/first-entries'
import type { Author } from '../log/log'
import { readOrigins, storeOrigins } from '../log/origins'
import { beginLog } from '../log/publish-state'
import { openWriter, type Connection } from '../sqlite/connections'
import { migrate, newestVersion } from '../sqlite/migrations/index'

/** Writes the bytes of a snapshot to a new file; they are on disk when this returns. */
export async function writeSnapshot(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Writes the bytes of a snapshot as the file of a new document, with a new epoch and one log entry that
 * stands for all of its content; it is on disk when this returns. Throws `invalid` when the bytes are not a
 * document.
 */
export async function adoptSnapshot(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  author: Author,
  format = newestVersion,
): Promise<FirstEntry> {
  await writeSnapshot(path, chunks)
  try {
    const connection = openWriter(path)
    try {
      requireWhole(connection, path)
      const first = adopt(connection, author, format)
      connection.complete()
      return first
    } finally {
      connection.close()
    }
  } catch (error) {
    const code = (error as { code?: unknown }).code
    throw /^SQLITE_(NOTADB|CORRUPT)/.test(String(code)) ? badSnapshot() : error
  }
}

const badSnapshot = () => new AppError('invalid', 'BAD_SNAPSHOT', 'the snapshot is not a document')

/**
 * Throws `invalid` for a truncated file, which would otherwise be noticed only when the missing part is read.
 */
export function requireWhole({ db }: Connection, path: string): void {
  const get = (name: string) => Number(db.pragma(name, { simple: true }))
  const isWhole = get('page_count') * get('page_size') === statSync(path).size
  if (!isWhole || get('user_version') === 0) throw badSnapshot()
}

function adopt(connection: Connection, author: Author, format: number): FirstEntry {
  connection.db.pragma('journal_mode = WAL')
  migrate(connection.db, { upTo: format })
  return connection.db.transaction(() => {
    const origins = readOrigins(connection)
    for (const table of ['_sheaf_log', '_sheaf_replies', '_sheaf_state'])
      connection.prepare(`DELETE FROM ${table}`).run()
    const first = beginLog(connection, author, [])
    storeOrigins(connection, origins)
    return first
  })()
}
