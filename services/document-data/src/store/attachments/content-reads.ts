import { AppError } from '@sheaf/kit/errors'
import type { Connection } from '../sqlite/connections'
import type { DocumentAccess } from '../document-access'
import { CHUNK_BYTES, type StoredContent } from './file-contents'

/**
 * Bytes of a content, chunk by chunk on demand; nothing stays open in between. Throws `unavailable` when the
 * content is removed meanwhile, or a part of it is missing.
 */
export async function* readContent(
  access: DocumentAccess,
  docId: string,
  content: StoredContent,
  range: { readonly offset: number; readonly length: number } = { offset: 0, length: content.size },
): AsyncGenerator<Buffer> {
  const end = range.offset + range.length
  let at = range.offset
  while (at < end) {
    const position = Math.floor(at / CHUNK_BYTES)
    const start = position * CHUNK_BYTES
    const bytes = access.read<Buffer | undefined>(docId, ({ connection }) =>
      readChunk(connection, content, position),
    )
    const wanted = Math.min(CHUNK_BYTES, content.size - start)
    if (bytes?.length !== wanted) throw contentGone()
    yield bytes.subarray(at - start, Math.min(wanted, end - start))
    at = start + wanted
  }
}

/** The hash is checked as well: the id of a removed content may have been reused. */
function readChunk(
  connection: Connection,
  { fileId, hash }: StoredContent,
  position: number,
): Buffer | undefined {
  return connection
    .pluck<Buffer>(
      `SELECT c.bytes FROM _sheaf_file_chunks c JOIN _sheaf_files f ON f.id = c.file_id
       WHERE c.file_id = ? AND c.position = ? AND f.hash = ? AND f.pending IS NULL`,
    )
    .get(fileId, position, hash)
}

const contentGone = () =>
  new AppError('unavailable', 'ATTACHMENT_GONE', 'the file was removed or is damaged')
