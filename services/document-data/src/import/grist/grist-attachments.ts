import { createHash } from 'node:crypto'
import { extensionOf, mediaTypeOf } from '../../file-names'
import { ATTACHMENTS } from '../../store/attachments/attachments'
import { addChunk, CHUNK_BYTES, findContent } from '../../store/attachments/file-contents'
import type { DocumentWriter } from '../../store/document'
import { insert, text, whole } from '../copy-metadata'
import type { DocumentSize } from '../document-size'
import { badFile } from '../import-errors'
import { importLimits } from '../import-limits'
import type { ImportNotes } from '../import-notes'
import type { UploadedDatabase } from '../sqlite/uploaded-database'
import { gristCell } from './grist-cells'

const FILES = '_gristsys_Files'
const place = `table "${ATTACHMENTS}"`
const columns = [
  ...['id', 'fileIdent', 'fileName', 'fileType', 'fileExt', 'imageHeight', 'imageWidth'],
  ...['fileSize', 'timeDeleted', 'timeUploaded'],
] as const
/** The latest valid date, in milliseconds. */
const MAX_TIME = 8.64e15
/** Maximum characters of a name or an extension. */
const MAX_NAME = 255
/** Metadata rows that are read at once. */
const MAX_ROWS = 1_000_000

type Fields = Readonly<Partial<Record<(typeof columns)[number], unknown>>>

interface Content {
  readonly fileId: number
  /** SHA-1 in hexadecimal, by which Grist and the API identify a file. */
  readonly sha1: string
  readonly size: number
}

/**
 * Copies the attachments of a Grist document with their contents. One whose content the file does not contain, because
 * Grist stored it elsewhere, is without one until it is restored. Throws `invalid` for an invalid row id.
 */
export function copyGristAttachments(
  source: UploadedDatabase,
  target: DocumentWriter,
  { size, notes }: { readonly size: DocumentSize; readonly notes: ImportNotes },
): void {
  const rows = source.readSome(ATTACHMENTS, columns, MAX_ROWS)
  if (!rows) throw badFile(`there are more than ${MAX_ROWS} attachments`)
  const contents = new ContentCopy(source, target, size)
  let missing = 0
  for (const row of rows) {
    const fields = Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, gristCell(value, place)]),
    ) as Fields
    size.addRow(Object.values(row))
    if (!copyAttachment(target, fields, contents)) missing++
  }
  if (missing > 0)
    notes.add(
      `left out: contents of ${missing} ${missing === 1 ? 'attachment' : 'attachments'}, which the file does not contain`,
    )
}

/** Returns false when the content is missing. */
function copyAttachment(target: DocumentWriter, fields: Fields, contents: ContentCopy): boolean {
  const id = whole(fields.id)
  if (id === 0 || id > importLimits.ref) throw badFile('a row has an invalid id', place)
  const given = text(fields.fileIdent)
  const fileName = soundName(text(fields.fileName).replace(/^.*[/\\]/, ''))
  const fileExt = extensionFor(text(fields.fileExt), { given, fileName })
  const fileType = mediaTypeOf(fileExt)
  const content = contents.copy(given)
  const sha1 = content?.sha1 ?? /^[0-9a-f]{40}/.exec(given)?.[0]
  insert(target, ATTACHMENTS, {
    id,
    fileIdent: sha1 === undefined ? '' : `${sha1}${fileExt}`,
    fileName,
    fileType,
    fileSize: BigInt(content?.size ?? whole(fields.fileSize)),
    fileExt,
    imageHeight: whole(fields.imageHeight),
    imageWidth: whole(fields.imageWidth),
    timeDeleted: timeOf(fields.timeDeleted, 1000),
    timeUploaded: timeOf(fields.timeUploaded, 1),
  })
  if (!content) return false
  insert(target, '_sheaf_attachments', { id, file_id: content.fileId })
  return true
}

/** A file name without what none may contain. */
function soundName(name: string): string {
  return name.replace(/[/\\\p{Cc}\p{Cs}]/gu, '').slice(0, MAX_NAME)
}

function extensionFor(
  own: string,
  { given, fileName }: { readonly given: string; readonly fileName: string },
): string {
  const named = /^\.[\w-]{1,31}$/
  if (named.test(own)) return own
  const rest = given.slice(40)
  return named.test(rest) ? rest : soundName(extensionOf(fileName, ''))
}

function timeOf(value: unknown, unitMs: number): number | null {
  const isTime = typeof value === 'number' && value >= 0 && value * unitMs <= MAX_TIME
  return isTime ? value : null
}

/** Copies contents, each once. */
class ContentCopy {
  private readonly known = new Map<string, Content | undefined>()

  constructor(
    private readonly source: UploadedDatabase,
    private readonly target: DocumentWriter,
    private readonly size: DocumentSize,
  ) {}

  /** The content that Grist stores by this name; undefined when the file does not contain it. */
  copy(ident: string): Content | undefined {
    const known = this.known.get(ident)
    if (known || this.known.has(ident)) return known
    const bytes = this.read(ident)
    const content = bytes && this.store(bytes)
    this.known.set(ident, content)
    return content
  }

  private read(ident: string): Buffer | undefined {
    const rows = this.source.has(FILES) ? this.source.columnsOf(FILES) : []
    const plain = rows.flatMap(({ name, isPlain }) => (isPlain ? name : []))
    if (ident === '' || !plain.includes('ident') || !plain.includes('data')) return undefined
    const bytes = this.source.db
      .prepare<[string], unknown>(`SELECT data FROM ${FILES} WHERE ident = ? LIMIT 1`)
      .pluck()
      .get(ident)
    return Buffer.isBuffer(bytes) ? bytes : undefined
  }

  private store(bytes: Buffer): Content {
    const { connection } = this.target
    const sha1 = createHash('sha1').update(bytes).digest('hex')
    const hash = createHash('sha256').update(bytes).digest('hex')
    const stored = findContent(connection, hash)
    if (stored !== undefined) return { fileId: stored, sha1, size: bytes.length }
    this.size.addRow([bytes])
    const { lastInsertRowid } = connection
      .prepare('INSERT INTO _sheaf_files (hash, size) VALUES (?, ?)')
      .run(hash, BigInt(bytes.length))
    const fileId = Number(lastInsertRowid)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
      addChunk(connection, fileId, {
        position: at / CHUNK_BYTES,
        bytes: bytes.subarray(at, at + CHUNK_BYTES),
      })
    return { fileId, sha1, size: bytes.length }
  }
}
