import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { DocumentStore } from '../store/documents/document-store'
import { beginEpoch } from '../store/documents/restored-file'
import { readLatestSeq } from '../store/log/log'
import { openWriter } from '../store/sqlite/connections'
import { syncWritten } from '../store/sqlite/durable-files'
import { migrate, requireDocumentFile } from '../store/sqlite/migrations/index'
import { findMoment } from './find-moment'

/** A document that was deleted, and the moment at which it is made again: by default its last one. */
export interface Undeleted {
  readonly docId: string
  readonly asOf: Moment | undefined
}

/**
 * Writes a deleted document to the file of a new one, durably, with its history and a new epoch. Returns the number of the last
 * entry. Throws as `KeptDocuments.write`, and `invalid` for a moment that is not in its log.
 */
export async function writeUndeleted(
  { lifeCycle, snapshots }: Pick<DocumentStore, 'lifeCycle' | 'snapshots'>,
  path: string,
  { docId, asOf }: Undeleted,
): Promise<number> {
  await lifeCycle.kept.write(docId, path)
  const { seq, latest } = prepare(path, asOf, lifeCycle.newFormat)
  if (seq < latest) await snapshots.takeBack(path, seq)
  const connection = openWriter(path)
  try {
    // What they held at a former moment is shown until they are computed again.
    if (seq < latest) connection.db.exec('DELETE FROM _sheaf_formulas')
    beginEpoch(connection)
    connection.complete()
  } finally {
    connection.close()
  }
  await syncWritten(path)
  return seq
}

/** Brings the file to a format, and finds the moment in its log. */
function prepare(
  path: string,
  asOf: Moment | undefined,
  format: number,
): { seq: number; latest: number } {
  const connection = openWriter(path)
  try {
    requireDocumentFile(connection.db)
    migrate(connection.db, { upTo: format })
    const latest = readLatestSeq(connection)
    return { latest, seq: asOf ? findMoment({ connection, seq: latest }, asOf) : latest }
  } finally {
    connection.close()
  }
}
