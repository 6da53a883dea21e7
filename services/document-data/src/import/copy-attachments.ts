import { createHash } from 'node:crypto'
import { quoteId } from '../query/quote'
import type { DocumentWriter } from '../store/document'
import type { DocumentFile } from './document-file'
import type { DocumentSize } from './document-size'
import { badFile, requireCellSize, shown, tooMuch } from './import-errors'
import { importLimits } from './import-limits'

/** Tables of attachments, some of which only newer forms have, and the column of each that holds bytes. */
const attachmentTables = [
  { name: '_grist_Attachments', bytes: '' },
  { name: '_sheaf_files', bytes: '' },
  { name: '_sheaf_attachments', bytes: '' },
  { name: '_sheaf_file_chunks', bytes: 'bytes' },
] as const

/**
 * Copies attachments with their files. Throws `invalid` where the bytes of a file are not those that its hash names: the same
 * bytes are stored once, so a later upload would come to mean them. Files whose upload has not ended are left behind.
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
  const files = connection.prepare('SELECT id, hash, size FROM _sheaf_files').all()
  for (const { id, hash, size } of files as { id: number; hash: string; size: number }[]) {
    const found = measureFile(target, id)
    if (found.hash !== hash || found.size !== size)
      throw badFile('the bytes of an attachment are not those that it should have')
  }
  const lost = connection.pluck(
    'SELECT 1 FROM _sheaf_attachments WHERE file_id NOT IN (SELECT id FROM _sheaf_files) LIMIT 1',
  )
  if (lost.get() !== undefined) throw badFile('an attachment has no bytes')
}

function measureFile({ connection }: DocumentWriter, id: number): { hash: string; size: number } {
  const chunks = connection.db
    .prepare('SELECT bytes FROM _sheaf_file_chunks WHERE file_id = ? ORDER BY position')
    .pluck()
    .iterate(id)
  const hash = createHash('sha256')
  let size = 0
  for (const bytes of chunks as IterableIterator<Buffer>) {
    hash.update(bytes)
    size += bytes.length
  }
  return { hash: hash.digest('hex'), size }
}

/** Ids that no document reaches would leave none for new attachments. */
function isRef(value: unknown): boolean {
  return typeof value === 'bigint' && value >= 1n && value <= importLimits.ref
}

/** Copies the columns that both sides have; a document of an older form lacks some, or the table itself. */
function copyTable(
  source: DocumentFile,
  target: DocumentWriter,
  size: DocumentSize,
  { name: table, bytes }: (typeof attachmentTables)[number],
): void {
  const { connection } = target
  if (!source.has(table)) return
  const there = source.columnsOf(table)
  const own = connection.pluck('SELECT name FROM pragma_table_xinfo(?)').all(table) as string[]
  const columns = own.filter((column) => there.has(column))
  if (columns.length === 0) return
  const names = columns.map(quoteId).join(', ')
  const marks = columns.map(() => '?').join(', ')
  const insert = connection.db.prepare(`INSERT INTO ${table} (${names}) VALUES (${marks})`)
  const rows = source.db.prepare(`SELECT ${names} FROM ${table}`).raw().safeIntegers().iterate()
  for (const row of rows as IterableIterator<unknown[]>) {
    row.forEach((value, i) => {
      const isBytes = Buffer.isBuffer(value)
      if (value !== null && isBytes !== (columns[i] === bytes))
        throw badFile(`column ${columns[i]} holds what it cannot hold`, `table ${shown(table)}`)
      if (typeof value === 'string') requireCellSize(value.length, `table ${shown(table)}`)
      if (isBytes && value.length > importLimits.rowChars)
        throw tooMuch('a piece of an attachment is too long', `table ${shown(table)}`)
      if (columns[i] === 'id' && !isRef(value))
        throw badFile('a row has an id that no row can have', `table ${shown(table)}`)
    })
    size.addRow(row)
    insert.run(row)
  }
}
