import { randomUUID } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import { openWriter, type Connection } from '../sqlite/connections'
import { readLatestSeq } from '../log/log'
import { readOrigins, storeOrigins, withOrigin } from '../log/origins'
import { readEpoch } from '../log/publish-state'
import { migrate, newestVersion } from '../sqlite/migrations/index'
import { requireWhole, writeSnapshot } from './adopted-file'

/**
 * Writes the bytes of a backup to the file of a document, durably. The file keeps its log and gets a new
 * epoch, because new entries may differ from those that followed the backup under the same numbers. Existing
 * log entries are not published again. Resolves to the number of the last entry; throws `invalid` when the
 * bytes are not a document.
 */
export async function writeRestored(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  format = newestVersion,
): Promise<number> {
  await writeSnapshot(path, chunks)
  try {
    const connection = openWriter(path)
    try {
      requireWhole(connection, path)
      connection.db.pragma('journal_mode = WAL')
      migrate(connection.db, { upTo: format })
      const seq = beginEpoch(connection)
      connection.complete()
      return seq
    } finally {
      connection.close()
    }
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(String(code))) throw error
    throw new AppError('invalid', 'BAD_SNAPSHOT', 'the snapshot is not a document')
  }
}

/**
 * Begins a new epoch in a file that keeps its log and becomes another document, or a document again: what the log has counts as
 * published. Returns the number of its last entry.
 */
export function beginEpoch(connection: Connection): number {
  const seq = readLatestSeq(connection)
  const former = { epoch: readEpoch(connection), seq, at: seq }
  storeOrigins(connection, withOrigin(former, readOrigins(connection)))
  connection
    .prepare(
      `UPDATE _sheaf_state SET epoch = ?, published_seq = ?, batch_seq = ?, term = 0 WHERE id = 1`,
    )
    .run(randomUUID(), seq, seq)
  return seq
}
