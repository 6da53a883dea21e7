import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { DocumentSession } from '../routing/document-session'
import { toAttachment } from '../schemas/attachments'
import { ANSWER_BYTES, cursorAt, readPosition } from './answer-budget'
import { defineTool, docId, type Tool } from './tool'

const PAGE = 50

/** Lists attachments. */
const listAttachments: Tool = defineTool({
  name: 'list_attachments',
  title: 'List attachments',
  description:
    'Returns names, sizes and ids of the files that are attached to a document. Cells of attachment columns hold these ids.',
  schema: z.strictObject({
    docId,
    cursor: z.string().optional().describe('`nextCursor` of the previous answer'),
  }),
  async run({ exchange }, { docId: name, cursor }) {
    const offset = readPosition(cursor)
    const document = await DocumentSession.open(exchange, name, 'viewers')
    const { docId } = document
    const request = { docId, filterJson: Buffer.alloc(0), sort: [], limit: PAGE + 1, offset }
    const json = await document.read(async (home, call) => {
      const parts: Uint8Array[] = []
      for await (const { chunk } of home.attachments.listAttachments(request, call))
        parts.push(chunk)
      return Buffer.concat(parts).toString()
    })
    const { records } = JSON.parse(json) as { readonly records: readonly unknown[] }
    const next = records.length > PAGE ? offset + PAGE : undefined
    return JSON.stringify({ attachments: records.slice(0, PAGE), nextCursor: cursorAt(next) })
  },
})

/** Reads an attachment. */
const readAttachment: Tool = defineTool({
  name: 'read_attachment',
  title: 'Read an attachment',
  description:
    'Returns name and size of an attached file, and its text in parts of 32 KiB if it is text in UTF-8; `text` is null for other files.',
  schema: z.strictObject({
    docId,
    attachmentId: z.int().min(1).describe('Id of the attachment'),
    cursor: z.string().optional().describe('`nextCursor` of the previous answer'),
  }),
  async run({ exchange }, { docId: name, attachmentId, cursor }) {
    const offset = readPosition(cursor)
    const document = await DocumentSession.open(exchange, name, 'viewers')
    const { docId } = document
    const { attachment: file } = await document.read((home, call) =>
      home.attachments.getAttachment({ docId, attachmentId }, call),
    )
    if (!file) throw new Error('document-data described no attachment')
    const length = Math.max(0, Math.min(ANSWER_BYTES, file.fileSize - offset))
    const bytes =
      length === 0 ? Buffer.alloc(0) : await read(document, { attachmentId, offset, length })
    const end = offset + bytes.length < file.fileSize ? endOfCharacters(bytes) : bytes.length
    const part = bytes.subarray(0, end)
    const isText = isUtf8(part) && !part.includes(0)
    const next = isText && end > 0 && offset + end < file.fileSize ? offset + end : undefined
    return JSON.stringify({
      attachmentId,
      ...toAttachment(file),
      mediaType: file.mediaType,
      text: isText ? part.toString() : null,
      nextCursor: cursorAt(next),
    })
  },
})

function read(
  document: DocumentSession,
  range: { readonly attachmentId: number; readonly offset: number; readonly length: number },
): Promise<Buffer> {
  const request = { docId: document.docId, ...range }
  return document.read(async (home, call) => {
    const parts: Uint8Array[] = []
    for await (const { part } of home.attachments.downloadAttachment(request, call))
      if (part?.$case === 'chunk') parts.push(part.value)
    return Buffer.concat(parts)
  })
}

/** Length without a character of UTF-8 that is cut off at the end. */
export function endOfCharacters(bytes: Buffer): number {
  // A character has at most 4 bytes; those after the first one begin with the bits 10.
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Tools for attached files. */
export const attachmentTools: readonly Tool[] = [listAttachments, readAttachment]
