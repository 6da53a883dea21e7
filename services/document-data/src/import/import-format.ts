import { extname } from 'node:path'
import { readStart } from '@sheaf/tabular/text-file'
import { badFile, shown, unknownFormat } from './import-errors'

/** The supported formats. */
export type ImportFormat = 'csv' | 'tsv' | 'json' | 'xlsx' | 'sqlite'

/** Magic numbers of the formats that have one. */
const beginnings: readonly (readonly [ImportFormat | 'old' | 'zipped', Buffer])[] = [
  ['xlsx', Buffer.from('PK\u0003\u0004')],
  ['sqlite', Buffer.from('SQLite format 3\0')],
  ['old', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['zipped', Buffer.from('1f8b', 'hex')],
]

const byExtension: Readonly<Record<string, ImportFormat>> = {
  '.csv': 'csv',
  '.txt': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.json': 'json',
  '.xlsx': 'xlsx',
  '.xlsm': 'xlsx',
  '.sqlite': 'sqlite',
  '.sqlite3': 'sqlite',
  '.db': 'sqlite',
  '.grist': 'sqlite',
  '.sheaf': 'sqlite',
}

const FORMATS = 'CSV, TSV, XLSX, JSON, Grist, or SQLite'

/**
 * The format of a file, by its first bytes, otherwise by its name's extension. Throws `invalid` for an empty
 * file or an unknown format, and when the two contradict each other.
 */
export async function findFormat(path: string, fileName: string): Promise<ImportFormat> {
  const start = await readStart(path)
  if (start.length === 0) throw badFile('the file is empty')
  const extension = extname(fileName).toLowerCase()
  const named = byExtension[extension]
  const begins = beginnings.find(([, bytes]) => start.subarray(0, bytes.length).equals(bytes))?.[0]
  if (begins === 'old')
    throw unknownFormat('Excel 97-2003 files (XLS) are not supported: save the file as XLSX or CSV')
  if (begins === 'zipped')
    throw unknownFormat('compressed files are not supported: decompress the file first')
  if (begins !== undefined) return begins
  if (named === 'xlsx' || named === 'sqlite')
    throw badFile(`the contents of the file do not match its extension ${shown(extension)}`)
  if (named === undefined)
    throw unknownFormat(
      `unknown file format: the file name must have the extension of a supported format: ${FORMATS}`,
    )
  return named
}
