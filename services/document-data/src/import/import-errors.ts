import { shorten } from '@sheaf/kit/truncate-text'
import { AppError } from '@sheaf/kit/errors'
import { importLimits } from './import-limits'

/** The location that an error refers to, for people, such as `line 3` or `sheet "Data", row 7`. */
export type Place = string

/** The error for a file whose content does not match its format. */
export function badFile(problem: string, place?: Place): AppError {
  return new AppError('invalid', 'BAD_IMPORT_FILE', at(place, problem), { field: 'upload' })
}

/** The error for an unsupported file format. */
export function unknownFormat(problem: string): AppError {
  return new AppError('invalid', 'UNKNOWN_FILE_FORMAT', problem, { field: 'upload' })
}

/** The error for a file that exceeds the limits of an import. */
export function tooMuch(problem: string, place?: Place): AppError {
  return new AppError('too_large', 'IMPORT_TOO_LARGE', at(place, problem), { field: 'upload' })
}

/** Throws `too_large` when a text exceeds the limit of a cell. */
export function requireCellSize(chars: number, place: Place): void {
  if (chars > importLimits.cellChars)
    throw tooMuch(`a cell must not have more than ${importLimits.cellChars} characters`, place)
}

/** The error for exceeding the maximum number of columns. */
export function tooManyColumns(place: Place): AppError {
  return new AppError(
    'invalid',
    'TOO_MANY_COLUMNS',
    at(place, `a table must not have more than ${importLimits.columns} columns`),
    { field: 'upload' },
  )
}

function at(place: Place | undefined, problem: string): string {
  return place === undefined ? problem : `${place}: ${problem}`
}

/** A name, shortened for an error message. */
export function shown(name: string): string {
  return `"${shorten(name)}"`
}
