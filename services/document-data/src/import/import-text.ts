import { MalformedFile } from '@sheaf/tabular/malformed-file'
import { openText, readStart, readText, type TextFile } from '@sheaf/tabular/text-file'
import { badFile, tooMuch } from './import-errors'
import type { ImportOptions } from './import-options'

/**
 * Opens an uploaded text file. Without an encoding, text that has no byte order mark and is not UTF-8 is Windows-1252, in
 * which every byte is valid. A part may end within a character. Throws `invalid` for a binary file.
 */
export async function openImportText(
  path: string,
  { encoding, isPart = false }: Pick<ImportOptions, 'encoding' | 'isPart'>,
): Promise<TextFile> {
  const file =
    encoding === undefined
      ? await openText(path, 'windows-1252', isPart)
      : { ...(await openAs(path, encoding)), isPart }
  if (file.start.includes('\0')) throw badFile('the file is not a text file')
  return file
}

async function openAs(path: string, encoding: string): Promise<TextFile> {
  return { path, encoding, start: new TextDecoder(encoding).decode(await readStart(path)) }
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
