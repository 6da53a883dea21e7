import { cutText } from '@sheaf/kit/truncate-text'
import { AppError } from '@sheaf/kit/errors'
import { importLimits } from './import-limits'

/** What of a file an error is about: the place for people, such as `line 3` or `sheet "Data", row 7`. */
export type Place = string

/** The file is not what it says that it is. */
export function badFile(problem: string, place?: Place): AppError {
  return new AppError('invalid', 'BAD_IMPORT_FILE', at(place, problem), { field: 'upload' })
}

/** The file is of a kind that cannot be imported. */
export function unknownFormat(problem: string): AppError {
  return new AppError('invalid', 'UNKNOWN_FILE_FORMAT', problem, { field: 'upload' })
}

/** The file holds more than an import may. */
export function tooMuch(problem: string, place?: Place): AppError {
  return new AppError('too_large', 'IMPORT_TOO_LARGE', at(place, problem), { field: 'upload' })
}

/** Throws `too_large` when a text is more than a cell can take. */
export function requireCellSize(chars: number, place: Place): void {
  if (chars > importLimits.cellChars)
    throw tooMuch(`a cell must not have more than ${importLimits.cellChars} characters`, place)
}

/** The error for one more column than there may be. */
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

/** A name as an error shows it. */
export function shown(name: string): string {
  return `"${name.length > 60 ? `${cutText(name, 60)}…` : name}"`
}
