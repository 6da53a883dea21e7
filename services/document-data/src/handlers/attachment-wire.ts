import type { Attachment as WireAttachment } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { Attachment } from '../store/attachments/attachments'

/** Converts an attachment to its protobuf message. */
export function toWire(row: Attachment): WireAttachment {
  const { id, fileName, fileSize, fileType, fileIdent, fileExt, timeUploaded } = row
  return {
    id,
    fileName,
    fileSize,
    timeUploaded: new Date(timeUploaded).toISOString(),
    mediaType: fileType,
    fileIdent,
    fileExt,
  }
}
