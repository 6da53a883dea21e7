import { eraseAttachments } from '../attachments/attachment-removal'
import { ATTACHMENTS } from '../attachments/attachments'
import { addChunk, beginContent, claimContent, findContent } from '../attachments/file-contents'
import type { DocumentWriter } from '../document'
import type { LoggedContent, RowOperation } from '../log/log'
import type { Connection } from '../sqlite/connections'
import { RedoError } from './redo-error'
import { storedValues } from './redo-rows'

/**
 * Finds a content by its hash: its chunks, as they are stored; undefined when the content no longer exists,
 * because its attachments were removed later. Attachments without a content are redone without one.
 */
export type ContentSource = (content: LoggedContent) => Iterable<Uint8Array> | undefined

/** Marks the contents that redo stores; no running upload has this name. */
const UPLOAD = 'redo'

/** Adds, changes or removes attachments, with their contents. */
export function redoAttachments(
  doc: DocumentWriter,
  operation: RowOperation,
  source: ContentSource,
): void {
  const { kind, rowIds, contents } = operation
  if (kind === 'remove_rows') return eraseAttachments(doc, rowIds)
  const { connection } = doc
  const names = operation.columns.map(({ id }) => id)
  const columns = operation.columns.map(storedValues)
  const statement = connection.prepare(
    kind === 'add_rows'
      ? `INSERT INTO ${ATTACHMENTS} (${[...names, 'id'].join(', ')})
         VALUES (${new Array(names.length + 1).fill('?').join(', ')})`
      : `UPDATE ${ATTACHMENTS} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
  )
  rowIds.forEach((id, index) => {
    const values = columns.map((column) => column[index] ?? null)
    if (statement.run([...values, id]).changes !== 1)
      throw new RedoError(`${kind}: there is no attachment ${id}`)
  })
  contents?.forEach((content, index) => link(connection, rowIds[index] ?? 0, content, source))
}

function link(
  connection: Connection,
  id: number,
  content: LoggedContent,
  source: ContentSource,
): void {
  const fileId = findContent(connection, content.hash) ?? store(connection, content, source)
  if (fileId === undefined) return
  connection
    .prepare('INSERT OR REPLACE INTO _sheaf_attachments (id, file_id) VALUES (?, ?)')
    .run(id, fileId)
}

function store(
  connection: Connection,
  content: LoggedContent,
  source: ContentSource,
): number | undefined {
  const chunks = source(content)
  if (!chunks) return undefined
  const { fileId } = beginContent(connection, UPLOAD, content)
  let position = 0
  for (const bytes of chunks) addChunk(connection, fileId, { position: position++, bytes })
  return claimContent(connection, UPLOAD, content.hash)?.fileId
}
