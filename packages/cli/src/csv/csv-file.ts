import { basename } from 'node:path'
import { detectDelimiter, readDelimitedRows } from '@sheaf/tabular/delimited-rows'
import { MalformedFile } from '@sheaf/tabular/malformed-file'
import { openText, readText } from '@sheaf/tabular/text-file'
import { CliError } from '../cli-error'

/** A row, with the line of the file on which it begins, counted from 1. */
export interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** Options for reading a CSV file. */
export interface CsvOptions {
  /** Separator of the cells; detected from the first line by default. */
  readonly delimiter?: string
  /** Receives all bytes of the file, in order. */
  readonly onBytes?: (bytes: Buffer) => void
}

/** Enough for any sensible row. */
const MAX_ROW_CHARS = 32 * 1024 * 1024

/**
 * Reads a CSV file row by row, the header first. All rows have as many cells as the header. UTF-8, or UTF-16
 * with a byte order mark. Throws CliError naming file and line for malformed content.
 */
export async function* readCsv(file: string, options: CsvOptions = {}): AsyncGenerator<CsvRow> {
  let width: number | undefined
  try {
    const source = await openText(file)
    const delimiter = options.delimiter ?? detectDelimiter(source.start)
    const text = readText(source, options.onBytes)
    const rows = readDelimitedRows(text, { delimiter, maxRowChars: MAX_ROW_CHARS })
    for await (const { cells, firstLine } of rows) {
      const row = { line: firstLine, cells }
      width ??= cells.length
      // A blank line is not a row, unless a row has one cell, which may be empty.
      if (cells.length === 1 && cells[0] === '' && width > 1) continue
      requireWidth(file, row, width)
      yield row
    }
  } catch (error) {
    throw explain(file, error)
  }
  if (width === undefined) throw new CliError(`${basename(file)} is empty`)
}

function requireWidth(file: string, { line, cells }: CsvRow, width: number): void {
  if (cells.length === width) return
  const [has, wants] = [count(cells.length, 'value'), count(width, 'column')]
  throw new CliError(`${basename(file)}, line ${line}: ${has} where the header has ${wants}`)
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function explain(file: string, error: unknown): unknown {
  if (error instanceof MalformedFile) {
    const { place, message } = error
    const where = place ? `, ${place.isAfter ? 'after ' : ''}line ${place.line}` : ''
    return new CliError(`${basename(file)}${where}: ${message}`)
  }
  const { code } = error as { code?: string }
  if (code === 'ENOENT') return new CliError(`file not found: ${file}`)
  if (code === 'EISDIR') return new CliError(`${file} is a folder`)
  if (code === 'EACCES') return new CliError(`permission denied: ${file}`)
  return error
}
