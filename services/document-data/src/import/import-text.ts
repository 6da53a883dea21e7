import { MalformedFile } from '@sheaf/tabular/malformed-file'
import { openText, readText, type TextFile } from '@sheaf/tabular/text-file'
import { badFile, tooMuch } from './import-errors'

/**
 * Opens an uploaded text file. Text without a byte order mark that is not UTF-8 is Windows-1252, in which every
 * byte is valid. Throws `invalid` for a binary file.
 */
export async function openImportText(path: string): Promise<TextFile> {
  const file = await openText(path, 'windows-1252')
  if (file.start.includes('\0')) throw badFile('the file is not a text file')
  return file
}

/** The text of an uploaded file in chunks. Throws `invalid`, naming the line, for bytes that are invalid in its encoding. */
export async function* readImportText(file: TextFile): AsyncGenerator<string> {
  try {
    yield* readText(file)
  } catch (error) {
    throw toImportError(error)
  }
}

/** The error for callers when a file is malformed; any other error unchanged. */
export function toImportError(error: unknown): unknown {
  if (!(error instanceof MalformedFile)) return error
  const { place, message } = error
  const where = place && `${place.isAfter ? 'after ' : ''}line ${place.line}`
  return error.isTooLarge ? tooMuch(message, where) : badFile(message, where)
}
