import { pipeline, Readable } from 'node:stream'
import { parse, type Options } from 'csv-parse'
import { MalformedFile } from './malformed-file'

/** A row of delimited text. */
export interface DelimitedRow {
  readonly cells: readonly string[]
  /** Line on which the row begins, counted from 1, or the first of the empty lines that were skipped before it. */
  readonly firstLine: number
  /** Line on which it ends. */
  readonly lastLine: number
}

/** How delimited text is parsed. */
export interface Dialect extends Pick<
  Options,
  'record_delimiter' | 'relax_quotes' | 'skip_empty_lines'
> {
  readonly delimiter: string
  /** Longest row, in characters; otherwise an unclosed quote would swallow the rest of the text. */
  readonly maxRowChars: number
}

interface Parsed {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

const DELIMITERS = [',', ';', '\t', '|']
const UNQUOTED = 'a closing quote must be followed by a delimiter or the end of the line'

const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_INVALID_CLOSING_QUOTE: UNQUOTED,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: UNQUOTED,
  INVALID_OPENING_QUOTE: 'a quote inside a value: the value must be quoted and the quote doubled',
}

/** Detects the delimiter of a text by its beginning: the most frequent candidate in the first line, or a comma. */
export function detectDelimiter(start: string): string {
  const line = /^[\r\n]*([^\r\n]*)/.exec(start.replace(/"[^"]*"/g, ''))?.[1] ?? ''
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/**
 * Parses delimited text row by row; rows may differ in length. Throws MalformedFile, naming the line, for text
 * that is malformed in the dialect, and what reading `text` throws.
 */
export async function* readDelimitedRows(
  text: AsyncIterable<string>,
  { delimiter, maxRowChars, ...dialect }: Dialect,
): AsyncGenerator<DelimitedRow> {
  const parser = parse({
    ...dialect,
    delimiter,
    info: true,
    relax_column_count: true,
    max_record_size: maxRowChars,
  })
  // Errors of the text are thrown by the iteration below.
  pipeline(Readable.from(text), parser, () => {})
  let firstLine = 1
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      yield { cells: record, firstLine, lastLine: info.lines }
      firstLine = info.lines + 1
    }
  } catch (error) {
    throw explain(error)
  }
}

function explain(error: unknown): unknown {
  const { code, message, lines = 1 } = error as { code?: string; message: string; lines?: number }
  if (code === 'CSV_MAX_RECORD_SIZE') {
    const problem = 'the row is too long, possibly because of an unclosed quote'
    return new MalformedFile(problem, { line: lines }, true)
  }
  const problem = problems[code ?? '']
  if (problem !== undefined) return new MalformedFile(problem, { line: lines })
  if (!code?.startsWith('CSV_')) return error
  return new Error(`csv-parse: ${message}`, { cause: error })
}
