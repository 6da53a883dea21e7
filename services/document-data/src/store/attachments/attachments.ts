import { AppError } from '@sheaf/kit/errors'
import type { Connection } from '../sqlite/connections'
import type { DocumentWriter } from '../document'
import type { ColumnValues, LogValue } from '../log/log'
import { findMetadataColumns } from '../schema/metadata-tables'
import { nextRef } from '../schema/refs'
import { claimContent, measureContents, type StoredContent } from './file-contents'

/** Name of the table that describes attachments. */
export const ATTACHMENTS = '_grist_Attachments'

/** The metadata of an attachment. */
export interface Attachment {
  /** Row id. */
  readonly id: number
  /** SHA-1 of the bytes in hexadecimal, and the extension. */
  readonly fileIdent: string
  readonly fileName: string
  /** Media type. */
  readonly fileType: string
  readonly fileSize: number
  /** With its dot; empty when there is none. */
  readonly fileExt: string
  /** Epoch milliseconds. */
  readonly timeUploaded: number
  /** Its bytes; undefined when they are missing. */
  readonly content?: StoredContent
}

/** A file to attach, whose content is stored. */
export type NewAttachment = Omit<Attachment, 'id' | 'timeUploaded' | 'content'> & {
  /** SHA-256 of the bytes in hexadecimal. */
  readonly hash: string
}

/** Thrown when a content that an upload relied on was removed meanwhile; the upload has to store it. */
export class ContentMissingError extends Error {}

interface AttachmentRow extends Omit<Attachment, 'content'> {
  readonly fileId: number | null
  readonly hash: string | null
  readonly size: number | null
}

const SELECT = `
  SELECT a.id, a.fileIdent, a.fileName, a.fileType, a.fileSize, a.fileExt,
    coalesce(a.timeUploaded, 0) AS timeUploaded, f.id AS fileId, f.hash, f.size
  FROM _grist_Attachments a
    LEFT JOIN _sheaf_attachments l ON l.id = a.id
    LEFT JOIN _sheaf_files f ON f.id = l.file_id AND f.pending IS NULL`

/** An attachment by its row id. Throws `not_found`. */
export function getAttachment(connection: Connection, id: number): Attachment {
  const row = connection.prepare<AttachmentRow>(`${SELECT} WHERE a.id = ?`).get(id)
  if (!row) throw new AppError('not_found', 'ATTACHMENT_NOT_FOUND', `Attachment not found: ${id}`)
  return fromRow(row)
}

/** The next attachments after this row id, by row id. */
export function listAttachments(
  connection: Connection,
  { after, count }: { readonly after: number; readonly count: number },
): Attachment[] {
  const rows = connection.prepare<AttachmentRow>(`${SELECT} WHERE a.id > ? ORDER BY a.id LIMIT ?`)
  return rows.all(after, count).map(fromRow)
}

function fromRow({ fileId, hash, size, ...row }: AttachmentRow): Attachment {
  if (fileId === null || hash === null || size === null) return row
  return { ...row, content: { fileId, hash, size } }
}

/**
 * Attaches files whose contents an upload has stored. Throws `too_large` when the document would exceed
 * `maxBytes`, and ContentMissingError when one of the contents is missing.
 */
export function addAttachments(
  doc: DocumentWriter,
  files: readonly NewAttachment[],
  { upload, maxBytes }: { readonly upload: string; readonly maxBytes: number },
): Attachment[] {
  const { connection } = doc
  let grows = false
  const first = nextRef(connection, 'attachment')
  const timeUploaded = Date.now()
  const link = connection.prepare('INSERT INTO _sheaf_attachments (id, file_id) VALUES (?, ?)')
  const insert = connection.prepare(
    `INSERT INTO _grist_Attachments (id, fileIdent, fileName, fileType, fileSize, fileExt, timeUploaded)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const added = files.map(({ hash, ...file }, index): Attachment => {
    const claimed = claimContent(connection, upload, hash)
    if (!claimed) throw new ContentMissingError('the content is missing')
    grows ||= claimed.isNew
    const { fileIdent, fileName, fileType, fileSize, fileExt } = file
    const id = first + index
    insert.run(id, fileIdent, fileName, fileType, BigInt(fileSize), fileExt, timeUploaded)
    link.run(id, claimed.fileId)
    return { ...file, id, timeUploaded, content: { ...claimed, hash, size: fileSize } }
  })
  if (grows) requireRoom(measureContents(connection), maxBytes)
  doc.record({
    kind: 'add_rows',
    table: ATTACHMENTS,
    tableRef: 0,
    rowIds: added.map(({ id }) => id),
    columns: describeColumns((name) => ({ new: added.map((row) => valueOf(row, name)) })),
    contents: files.map(({ hash, fileSize: size }) => ({ hash, size })),
  })
  return added
}

/** Throws `too_large` when the attachments of a document exceed its limit. */
export function requireRoom(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return
  const message = `Exceeded attachments limit for document: all attachments together must not exceed ${formatSize(maxBytes)}`
  throw new AppError('too_large', 'ATTACHMENTS_TOO_LARGE', message, {
    limit: String(maxBytes),
    setting: 'SHEAF_MAX_ATTACHMENTS_MB',
  })
}

/** A number of bytes in readable form. */
export function formatSize(bytes: number): string {
  const mib = bytes / (1024 * 1024)
  return mib >= 1 ? `${Number(mib.toFixed(1))} MB` : `${bytes} bytes`
}

/** All columns of the attachments with their values, in the form of the log. */
export function describeColumns(
  values: (column: string) => Pick<ColumnValues, 'old' | 'new'>,
): ColumnValues[] {
  const columns = findMetadataColumns(ATTACHMENTS) ?? []
  return columns.map(([id, type]) => ({ id, ref: 0, type, ...values(id) }))
}

const emptyColumns: Readonly<Record<string, LogValue>> = { imageHeight: 0, imageWidth: 0 }

function valueOf(row: Attachment, column: string): LogValue {
  const given = (row as unknown as Readonly<Record<string, LogValue | undefined>>)[column]
  return given ?? emptyColumns[column] ?? null
}
