import type { DocumentWriter } from '../store/document'
import { badChoice } from './chosen-types'
import { copyDocument, type LoadedTable } from './copy-document'
import { copyGrist } from './grist/copy-grist'
import { badFile } from './import-errors'
import { copyPlainTables, type PlainCopy } from './sqlite/plain-tables'
import { UploadedDatabase, type DatabaseKind } from './sqlite/uploaded-database'

/**
 * Creates a document from a SQLite file, which may be a document of Sheaf or Grist, or of any other program. Throws
 * AppError for faults of the file.
 */
export async function importSqlite(
  upload: string,
  target: DocumentWriter,
  { isInto, ...copy }: PlainCopy & { readonly isInto: boolean },
): Promise<{ readonly kind: DatabaseKind; readonly tables: LoadedTable[] }> {
  try {
    using file = await UploadedDatabase.open(upload)
    const { kind } = file
    if (kind !== 'other' && isInto)
      throw badFile(
        `a ${kind === 'grist' ? 'Grist' : 'Sheaf'} document can only be imported as a new document`,
      )
    if (kind !== 'other' && copy.types.chosen?.size)
      throw badChoice(
        `the columns of a ${kind === 'grist' ? 'Grist' : 'Sheaf'} document have types`,
      )
    return { kind, tables: copyTables(kind, file, target, copy) }
  } catch (error) {
    throw blameFile(error)
  }
}

function copyTables(
  kind: DatabaseKind,
  file: UploadedDatabase,
  target: DocumentWriter,
  copy: PlainCopy,
): LoadedTable[] {
  switch (kind) {
    case 'sheaf':
      return copyDocument(file, target, copy)
    case 'grist':
      return copyGrist(file, target, copy)
    case 'other':
      return copyPlainTables(file, target, copy)
  }
}

/** SQLite's messages contain names from the file; and any error here is the fault of the upload. */
function blameFile(error: unknown): unknown {
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name !== 'SqliteError' || typeof code !== 'string') return error
  if (/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM)/.test(code)) return error
  return badFile('the SQLite file is damaged, or its tables contradict each other')
}
