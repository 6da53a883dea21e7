import { extname } from 'node:path/posix'
import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type {
  Attachment,
  DownloadAttachmentResponse,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { contentType } from 'mime-types'
import parseRange from 'range-parser'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { knows } from '../http/entity-tags'
import { sendHead } from '../http/reply'
import { sendChunks } from './record-stream'
import { attachmentNamed } from './attachment-name'

/** Attachments are uploaded by users: whatever they contain must not run in the origin of this site. */
const FILE_POLICY = "sandbox; default-src 'none'"
const FILE_CACHE = 'private, max-age=3600'
const NOTHING = Buffer.alloc(0)
const SHA1_LENGTH = 40

/**
 * Media types that a browser may display inline; it saves all others, above all pages and SVG with scripts.
 */
const SHOWN =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|(audio|video)\/[\w.+-]+|text\/(plain|csv)|application\/(pdf|json))$/

/** Query parameters of a file download. */
export interface FileQuery {
  /** Name to save the file under; its own name when empty. */
  readonly name: string
  /** True to display the file inline where that is safe. */
  readonly inline: boolean
}

/** Sends a file, or the requested range of it. Throws AppError `range` for one that cannot be satisfied. */
export async function sendAttachment(
  exchange: Exchange,
  document: DocumentSession,
  file: Attachment,
  query: FileQuery,
): Promise<void> {
  const { request } = exchange
  const tag = `"${file.fileIdent.slice(0, SHA1_LENGTH)}"`
  const mediaType = contentType(file.mediaType) || 'application/octet-stream'
  // Headers of the file only: an error response sent instead has none of them.
  const headers = ['Accept-Ranges', 'bytes', 'ETag', tag]
  const head = { mediaType, policy: FILE_POLICY, cache: FILE_CACHE }
  if (knows(request.headers['if-none-match'], tag)) {
    sendHead(exchange, { ...head, status: 304, headers: ['ETag', tag] })
    exchange.response.end()
    return
  }
  const range = readRange(exchange, file.fileSize, tag)
  const { docId } = document
  const { offset, length } = range ?? { offset: 0, length: file.fileSize }
  headers.push('Content-Disposition', dispositionOf(file, query))
  if (range)
    headers.push('Content-Range', `bytes ${offset}-${offset + length - 1}/${file.fileSize}`)
  await sendChunks(
    exchange,
    document,
    (home, call) =>
      toPieces(
        home.attachments.downloadAttachment(
          { docId, attachmentId: file.id, offset, length, asOf: exchange.asOf },
          call,
        ),
      ),
    { head: () => ({ ...head, status: range ? 206 : 200, length, headers }) },
  )
}

/** Returns the Content-Disposition: attachment, unless the file may be displayed inline. */
function dispositionOf(
  { fileName, fileExt, mediaType }: Pick<Attachment, 'fileName' | 'fileExt' | 'mediaType'>,
  { name, inline }: FileQuery,
): string {
  const type = inline && SHOWN.test(mediaType) ? 'inline' : 'attachment'
  const shown = name || fileName
  const extension = extname(shown)
  if (extension === '') return attachmentNamed(shown, name ? '' : fileExt, type)
  return attachmentNamed(shown.slice(0, -extension.length), extension, type)
}

async function* toPieces(messages: AsyncIterable<DownloadAttachmentResponse>) {
  for await (const { part } of messages)
    yield { chunk: part?.$case === 'chunk' ? part.value : NOTHING }
}

/** Returns the requested range; undefined for the whole file, also when several ranges are requested. */
function readRange(
  { request, headers }: Exchange,
  size: number,
  tag: string,
): { offset: number; length: number } | undefined {
  const { range: asked, 'if-range': condition } = request.headers
  if (asked === undefined || (condition !== undefined && condition !== tag)) return undefined
  const ranges = parseRange(size, asked)
  if (ranges === -1) {
    headers.push('Content-Range', `bytes */${size}`)
    throw new AppError('range', 'RANGE_NOT_SATISFIABLE', `range not satisfiable: ${shorten(asked)}`)
  }
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 || !ranges[0])
    return undefined
  const { start, end } = ranges[0]
  return { offset: start, length: end - start + 1 }
}
