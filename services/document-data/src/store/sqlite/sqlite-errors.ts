import { AppError, toAppError } from '@sheaf/kit/errors'

/**
 * The result code of an error that SQLite reported, such as `SQLITE_FULL`, or its like for an error of the
 * operating system; undefined for any other error.
 */
function sqliteCodeOf(error: unknown): string | undefined {
  // Recognized by form: the driver is native code, whose errors need not be of this module's Error class.
  if (typeof error !== 'object' || error === null) return undefined
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (typeof code !== 'string') return undefined
  return name === 'SqliteError' ? code : systemCodes[code]
}

/** True when what SQLite reported leaves the connection in doubt, so that it has to be opened again. */
export function spoilsConnection(error: unknown): boolean {
  const code = sqliteCodeOf(error) ?? ''
  return /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|FULL|READONLY)/.test(code)
}

const translations: readonly (readonly [RegExp, () => AppError])[] = [
  [/^SQLITE_FULL/, () => new AppError('unavailable', 'DISK_FULL', 'the disk is full')],
  [
    /^SQLITE_(IOERR|CANTOPEN|READONLY)/,
    () => new AppError('unavailable', 'DISK_ERROR', 'the document file is unavailable'),
  ],
  [
    /^(SQLITE_(CORRUPT|NOTADB)|LOG_DAMAGED)/,
    () => new AppError('unavailable', 'DOCUMENT_DAMAGED', 'the document file is damaged'),
  ],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    () => new AppError('unavailable', 'DOCUMENT_BUSY', 'document busy, retry later'),
  ],
  [
    /^SQLITE_TOOBIG/,
    () => new AppError('invalid', 'VALUE_TOO_LARGE', 'a value is too large to store'),
  ],
]

/** Codes of the operating system for a disk that is full or fails, and of a damaged log. */
const systemCodes: Readonly<Record<string, string>> = {
  ENOSPC: 'SQLITE_FULL',
  EDQUOT: 'SQLITE_FULL',
  EFBIG: 'SQLITE_FULL',
  EIO: 'SQLITE_IOERR',
  EROFS: 'SQLITE_READONLY',
  EMFILE: 'SQLITE_CANTOPEN',
  ENFILE: 'SQLITE_CANTOPEN',
  EACCES: 'SQLITE_CANTOPEN',
  LOG_DAMAGED: 'LOG_DAMAGED',
}

/**
 * The error that callers get for an error of the disk or of SQLite; returns errors of other kinds unchanged.
 */
export function translateSqliteError(error: unknown): unknown {
  if (toAppError(error)) return error
  const code = sqliteCodeOf(error)
  if (code === undefined) return error
  const row = translations.find(([pattern]) => pattern.test(code))
  if (row === undefined) return error
  const translated = row[1]()
  translated.cause = error
  return translated
}

/** Runs work on the disk; its errors are those that callers get. */
export async function translateDiskErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw translateSqliteError(error)
  }
}
