import { requireRow, type Connection } from '../sqlite/connections'

/*
 * Contents of files in a document: each is stored once, by its hash, in chunks. A content that is being
 * stored carries the name of its upload and is not visible elsewhere; contents that no running upload claims
 * are removed by maintenance.
 */

/** Bytes of a chunk: one row, read and written in one go. */
export const CHUNK_BYTES = 256 * 1024
/** Chunks that one transaction removes. */
const REMOVED_AT_ONCE = 8
/** Marks a content that is no longer needed; no upload has this name. */
const REMOVED = ''

/** A complete content. */
export interface StoredContent {
  readonly fileId: number
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly size: number
}

/** The running uploads, which own what they have stored so far. */
export class ActiveUploads {
  private readonly names = new Set<string>()

  /** Registers an upload. */
  begin(name: string): void {
    this.names.add(name)
  }

  /** Unregisters an upload, whatever its outcome. */
  end(name: string): void {
    this.names.delete(name)
  }

  /** True while the upload runs. */
  has(name: string): boolean {
    return this.names.has(name)
  }
}

/** The complete content with this hash; undefined when there is none. */
export function findContent(connection: Connection, hash: string): number | undefined {
  return connection
    .pluck<number>('SELECT id FROM _sheaf_files WHERE hash = ? AND pending IS NULL')
    .get(hash)
}

/** Total size of all complete contents. */
export function measureContents(connection: Connection): number {
  const sql = 'SELECT coalesce(sum(size), 0) FROM _sheaf_files WHERE pending IS NULL'
  return requireRow(connection.pluck<number>(sql).get())
}

/** Starts a content of an upload, or finds the one that it has already started; returns its id. */
export function beginContent(
  connection: Connection,
  upload: string,
  { hash, size }: { hash: string; size: number },
): { readonly fileId: number; readonly isNew: boolean } {
  const begun = findPending(connection, upload, hash)
  if (begun !== undefined) return { fileId: begun, isNew: false }
  const { lastInsertRowid } = connection
    .prepare('INSERT INTO _sheaf_files (hash, size, pending) VALUES (?, ?, ?)')
    .run(hash, size, upload)
  return { fileId: Number(lastInsertRowid), isNew: true }
}

/** Adds a chunk to an unfinished content. */
export function addChunk(
  connection: Connection,
  fileId: number,
  chunk: { readonly position: number; readonly bytes: Uint8Array },
): void {
  connection
    .prepare('INSERT INTO _sheaf_file_chunks (file_id, position, bytes) VALUES (?, ?, ?)')
    .run(fileId, chunk.position, chunk.bytes)
}

/**
 * The complete content with this hash: the existing one, otherwise the one stored by the upload, which this
 * completes. Undefined when there is neither.
 */
export function claimContent(
  connection: Connection,
  upload: string,
  hash: string,
): { readonly fileId: number; readonly isNew: boolean } | undefined {
  const stored = findContent(connection, hash)
  if (stored !== undefined) return { fileId: stored, isNew: false }
  const fileId = findPending(connection, upload, hash)
  if (fileId === undefined) return undefined
  connection.prepare('UPDATE _sheaf_files SET pending = NULL WHERE id = ?').run(fileId)
  return { fileId, isNew: true }
}

function findPending(connection: Connection, upload: string, hash: string): number | undefined {
  return connection
    .pluck<number>('SELECT id FROM _sheaf_files WHERE pending = ? AND hash = ?')
    .get(upload, hash)
}

/** Marks the contents that no attachment refers to any longer; their bytes are removed later. */
export function releaseContents(connection: Connection, fileIds: readonly number[]): void {
  connection
    .prepare(
      `UPDATE _sheaf_files SET pending = ? WHERE id IN (SELECT value FROM json_each(?))
       AND NOT EXISTS (SELECT 1 FROM _sheaf_attachments a WHERE a.file_id = _sheaf_files.id)`,
    )
    .run(REMOVED, JSON.stringify(fileIds))
}

/** True when `removeOrphanedContents` has work. */
export function hasOrphanedContents(connection: Connection, uploads: ActiveUploads): boolean {
  return findOrphanedContent(connection, uploads) !== undefined
}

/** Removes a few chunks that no running upload claims; false when none is left. */
export function removeOrphanedContents(connection: Connection, uploads: ActiveUploads): boolean {
  const fileId = findOrphanedContent(connection, uploads)
  if (fileId === undefined) return false
  const { changes } = connection
    .prepare(
      `DELETE FROM _sheaf_file_chunks WHERE id IN
       (SELECT id FROM _sheaf_file_chunks WHERE file_id = ? LIMIT ${REMOVED_AT_ONCE})`,
    )
    .run(fileId)
  if (changes < REMOVED_AT_ONCE)
    connection.prepare('DELETE FROM _sheaf_files WHERE id = ?').run(fileId)
  return true
}

function findOrphanedContent(connection: Connection, uploads: ActiveUploads): number | undefined {
  const rows = connection
    .raw<[string, number]>(
      'SELECT pending, min(id) FROM _sheaf_files WHERE pending IS NOT NULL GROUP BY pending',
    )
    .all()
  return rows.find(([upload]) => !uploads.has(upload))?.[1]
}
