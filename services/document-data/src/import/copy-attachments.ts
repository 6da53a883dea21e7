import { createHash } from 'node:crypto'
import { quoteId } from '../quoting/quote'
import type { DocumentWriter } from '../store/document'
import { CHUNK_BYTES } from '../store/attachments/file-contents'
import type { DocumentFile } from './document-file'
import type { DocumentSize } from './document-size'
import { badFile, requireCellSize, shown, tooMuch } from './import-errors'
import { importLimits } from './import-limits'

/**
 * Attachment tables, some of which exist only in newer schema versions, and the column of each that holds
 * bytes.
 */
const attachmentTables = [
  { name: '_grist_Attachments', bytes: '' },
  { name: '_sheaf_files', bytes: '' },
  { name: '_sheaf_attachments', bytes: '' },
  { name: '_sheaf_file_chunks', bytes: 'bytes' },
] as const

/** The latest valid date, in milliseconds. */
const MAX_TIME = 8.64e15
/** Maximum characters of a name, an extension or a media type. */
const MAX_TEXT = 255

/**
 * Copies attachments with their files. Throws `invalid` when the bytes of a file do not match its hash,
 * because equal contents are stored once and a later upload would then resolve to the wrong bytes, and when
 * the metadata of an attachment are invalid. Unfinished uploads are not copied.
 */
export function copyAttachments(
  source: DocumentFile,
  target: DocumentWriter,
  size: DocumentSize,
): void {
  for (const table of attachmentTables) copyTable(source, target, size, table)
  const { connection } = target
  connection.prepare('DELETE FROM _sheaf_files WHERE pending IS NOT NULL').run()
  connection
    .prepare('DELETE FROM _sheaf_file_chunks WHERE file_id NOT IN (SELECT id FROM _sheaf_files)')
    .run()
  const files = connection.prepare<FileRow>('SELECT id, hash, size FROM _sheaf_files').all()
  for (const { id, hash, size } of files) {
    const found = measureFile(target, id)
    if (found.hash !== hash || found.size !== size)
      throw badFile('the contents of an attachment do not match its checksum')
  }
  const lost = connection.pluck(
    'SELECT 1 FROM _sheaf_attachments WHERE file_id NOT IN (SELECT id FROM _sheaf_files) LIMIT 1',
  )
  if (lost.get() !== undefined) throw badFile('an attachment has no contents')
  requireSoundRows(target)
}

interface FileRow {
  readonly id: number
  readonly hash: string
  readonly size: number
}

interface CopiedRow {
  readonly id: unknown
  readonly fileIdent: unknown
  readonly fileName: unknown
  readonly fileExt: unknown
  readonly fileType: unknown
  readonly fileSize: unknown
  readonly timeUploaded: unknown
  readonly timeDeleted: unknown
  /** Size of its file in bytes; null when the bytes are missing. */
  readonly size: number | null
}

function requireSoundRows({ connection }: DocumentWriter): void {
  const rows = connection.db
    .prepare<[], CopiedRow>(
      `SELECT a.id, fileIdent, fileName, fileExt, fileType, fileSize, timeUploaded, timeDeleted, f.size
       FROM _grist_Attachments a
         LEFT JOIN _sheaf_attachments l ON l.id = a.id LEFT JOIN _sheaf_files f ON f.id = l.file_id`,
    )
    .iterate()
  for (const row of rows) {
    const unsound = Object.entries(soundColumns).find(([, isSound]) => !isSound(row))
    if (unsound)
      throw badFile(`column ${unsound[0]} has an invalid value`, 'table "_grist_Attachments"')
  }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT

/** True for a valid file name: no folders, control characters or unpaired surrogates. */
const isName = (value: unknown): value is string =>
  isText(value) && !/[/\\\p{Cc}\p{Cs}]/u.test(value)

const isTime = (value: unknown, unitMs: number): boolean =>
  value === null || (typeof value === 'number' && value >= 0 && value * unitMs <= MAX_TIME)

/** Validators of the columns, so that an attachment can always be listed, downloaded and restored. */
const soundColumns: Readonly<Record<string, (row: CopiedRow) => boolean>> = {
  id: ({ id }) => isCount(id) && id > 0,
  fileIdent: ({ fileIdent }) => isName(fileIdent) && /^([0-9a-f]{40}|$)/.test(fileIdent),
  fileName: ({ fileName }) => isName(fileName),
  fileExt: ({ fileExt }) => isName(fileExt),
  // It is sent as a response header.
  fileType: ({ fileType }) => isText(fileType) && /^[\x20-\x7e]*$/.test(fileType),
  fileSize: ({ fileSize, size }) => isCount(fileSize) && (size === null || fileSize === size),
  timeUploaded: ({ timeUploaded }) => isTime(timeUploaded, 1),
  timeDeleted: ({ timeDeleted }) => isTime(timeDeleted, 1000),
}

/** Hash and size of a file. Throws `invalid` when its bytes are not chunked as in a document. */
function measureFile({ connection }: DocumentWriter, id: number): { hash: string; size: number } {
  const chunks = connection.db
    .prepare<[number], [number, Buffer]>(
      'SELECT position, bytes FROM _sheaf_file_chunks WHERE file_id = ? ORDER BY position',
    )
    .raw()
    .iterate(id)
  const hash = createHash('sha256')
  let [size, count] = [0, 0]
  for (const [position, bytes] of chunks) {
    // Every chunk but the last is full.
    const isNext = position === count++ && size === position * CHUNK_BYTES
    if (!isNext || bytes.length === 0 || bytes.length > CHUNK_BYTES)
      throw badFile('the parts of an attachment are incomplete or duplicated')
    hash.update(bytes)
    size += bytes.length
  }
  return { hash: hash.digest('hex'), size }
}

/** True for a valid id. Ids near the maximum are rejected, since they would leave none for new attachments. */
function isRef(value: unknown): boolean {
  return typeof value === 'bigint' && value >= 1n && value <= importLimits.ref
}

/**
 * Copies the columns that both sides have; a document with an older schema may lack columns or the whole
 * table.
 */
function copyTable(
  source: DocumentFile,
  target: DocumentWriter,
  size: DocumentSize,
  { name: table, bytes }: (typeof attachmentTables)[number],
): void {
  const { connection } = target
  if (!source.has(table)) return
  const there = source.columnsOf(table)
  const own = connection.pluck<string>('SELECT name FROM pragma_table_xinfo(?)').all(table)
  const columns = own.filter((column) => there.has(column))
  if (columns.length === 0) return
  const names = columns.map(quoteId).join(', ')
  const marks = columns.map(() => '?').join(', ')
  const insert = connection.db.prepare(`INSERT INTO ${table} (${names}) VALUES (${marks})`)
  const select = source.db.prepare<[], unknown[]>(`SELECT ${names} FROM ${table}`)
  for (const row of select.raw().safeIntegers().iterate()) {
    row.forEach((value, i) => {
      const isBytes = Buffer.isBuffer(value)
      if (value !== null && isBytes !== (columns[i] === bytes))
        throw badFile(`column ${columns[i]} has a value of the wrong type`, `table ${shown(table)}`)
      if (typeof value === 'string') requireCellSize(value.length, `table ${shown(table)}`)
      if (isBytes && value.length > importLimits.rowChars)
        throw tooMuch('a part of an attachment is too long', `table ${shown(table)}`)
      if (columns[i] === 'id' && !isRef(value))
        throw badFile('a row has an invalid id', `table ${shown(table)}`)
    })
    size.addRow(row)
    insert.run(row)
  }
}
