import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { FromSqlProcess } from './sql-messages'

/** Result codes that concern the file rather than the statement. */
const OF_THE_FILE = /^SQLITE_(IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|BUSY|LOCKED|FULL)/
const NO_MEMORY = /^SQLITE_NOMEM/
/** Longest message of SQLite that is passed on; it repeats names from the statement, of any length. */
const MAX_MESSAGE = 200

/** The message for a statement that exceeds the memory limit. */
export function tooMuchMemory(): AppError {
  return new AppError('invalid', 'SQL_TOO_LARGE', 'the statement exceeded the memory limit')
}

/**
 * The error of a statement that failed in its process; errors of the file are returned as SQLite reported
 * them.
 */
export function failureOf(failure: Extract<FromSqlProcess, { kind: 'failed' }>): Error {
  const { cause, code, message } = failure
  if (cause === 'limit') return new AppError('invalid', 'SQL_TOO_LARGE', message)
  if (cause === 'statement') return refusedStatement(message)
  if (NO_MEMORY.test(code)) return tooMuchMemory()
  if (!code.startsWith('SQLITE_')) return Object.assign(new Error(message), { code })
  if (OF_THE_FILE.test(code))
    return Object.assign(new Error(message), { name: 'SqliteError', code })
  return new AppError('invalid', 'INVALID_SQL', `${code}: ${shorten(message, MAX_MESSAGE)}`)
}

/** The error for a rejected statement, in the form of SQLite's own errors. */
function refusedStatement(message: string): AppError {
  return new AppError('invalid', 'INVALID_SQL', `SQLITE_ERROR: ${shorten(message, MAX_MESSAGE)}`)
}
