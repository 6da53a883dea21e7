import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { parse, type Info } from 'csv-parse'
import { CliError } from '../cli-error'

/** A row, with the line of the file on which it begins, counted from 1. */
export interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** Options for reading a CSV file. */
export interface CsvOptions {
  /** Separator of the cells; guessed from the first line by default. */
  readonly delimiter?: string
  /** Receives all bytes of the file, in order. */
  readonly onBytes?: (bytes: Buffer) => void
}

/** Enough for any sensible row; otherwise an unclosed quote would swallow the rest of the file. */
const MAX_ROW_CHARS = 32 * 1024 * 1024
const SNIFF_BYTES = 64 * 1024

/**
 * Reads a CSV file row by row, the header first. All rows have as many cells as the header. UTF-8, or UTF-16
 * with a byte order mark. Throws CliError naming file and line for malformed content.
 */
export async function* readCsv(file: string, options: CsvOptions = {}): AsyncGenerator<CsvRow> {
  const start = await readStart(file)
  const encoding = encodingOf(start)
  const delimiter = options.delimiter ?? guessDelimiter(new TextDecoder(encoding).decode(start))
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARS,
  })
  const text = Readable.from(decode(file, encoding, options.onBytes))
  pipeline(text, parser, () => {}) // the iteration below receives the error
  let line = 1
  let width: number | undefined
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[]
      info: Info
    }>) {
      const row = { line, cells: record }
      line = info.lines + 1
      width ??= record.length
      // A blank line is not a row, unless a row has one cell, which may be empty.
      if (record.length === 1 && record[0] === '' && width > 1) continue
      requireWidth(file, row, width)
      yield row
    }
  } catch (error) {
    throw explain(file, error)
  }
  if (width === undefined) throw new CliError(`${basename(file)} is empty`)
}

async function readStart(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw explain(file, error)
  }
}

function encodingOf(start: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

/** Returns a comma, unless the header has none but semicolons or tabs. */
function guessDelimiter(start: string): string {
  const header = start.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? ''
  return [',', ';', '\t'].find((candidate) => header.includes(candidate)) ?? ','
}

async function* decode(
  file: string,
  encoding: string,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  let line = 1
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
      onBytes?.(bytes)
      const text = decoder.decode(bytes, { stream: true })
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
      if (text !== '') yield text
    }
    const rest = decoder.decode()
    if (rest !== '') yield rest
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw new CliError(`${basename(file)}, after line ${line}: invalid ${encoding} text`)
  }
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
  if (error instanceof CliError) return error
  const { code, message, lines } = error as { code?: string; message: string; lines?: number }
  if (code === 'ENOENT') return new CliError(`file not found: ${file}`)
  if (code === 'EISDIR') return new CliError(`${file} is a folder`)
  if (code === 'EACCES') return new CliError(`permission denied: ${file}`)
  const problem = problems[code ?? ''] ?? (code?.startsWith('CSV_') ? message : undefined)
  if (problem === undefined) return error
  return new CliError(`${basename(file)}, line ${lines}: ${problem}`)
}

const problems: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_INVALID_CLOSING_QUOTE:
    'a closing quote must be followed by a delimiter or the end of the line',
  INVALID_OPENING_QUOTE: 'a quote inside a value: the value must be quoted and the quote doubled',
  CSV_MAX_RECORD_SIZE: 'the row is too long, possibly because of an unclosed quote',
}
