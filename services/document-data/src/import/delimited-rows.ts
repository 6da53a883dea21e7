import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { badFile, requireCellSize, tooManyColumns, tooMuch } from './import-errors'
import { importLimits } from './import-limits'
import type { RowSink, RowSource } from './row-sink'
import { openText, readText, type TextFile } from './text-file'

const DELIMITERS = [',', ';', '\t', '|']

/**
 * The rows of CSV or TSV, as one table. The first non-empty line names the columns; rows may be shorter or
 * longer.
 * @param delimiter separator of the cells; detected from the first line when absent
 */
export function delimitedRows(path: string, name: string, delimiter?: string): RowSource {
  return async (sink) => {
    const file = await openText(path)
    await readRows(file, delimiter ?? guessDelimiter(file.start), begin(sink, name))
  }
}

type TakeRow = (cells: readonly string[], line: number) => void

function begin(sink: RowSink, name: string): TakeRow {
  let isHeader = true
  return (cells, line) => {
    const place = () => `line ${line}`
    if (cells.length > importLimits.columns) throw tooManyColumns(place())
    for (const cell of cells) requireCellSize(cell.length, place())
    if (!isHeader) return sink.addRow(cells, place)
    isHeader = false
    sink.beginTable(name)
    sink.nameColumns(cells)
  }
}

async function readRows(file: TextFile, delimiter: string, take: TakeRow): Promise<void> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: importLimits.rowChars,
  })
  const text = Readable.from(readText(file))
  // Errors of the text are thrown by the iteration below.
  pipeline(text, parser, () => {})
  let isEmpty = true
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      isEmpty = false
      take(record, info.lines)
    }
  } catch (error) {
    throw explain(error)
  }
  if (isEmpty) throw badFile('the file is empty')
}

interface Parsed {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

/** The most frequent candidate in the first line; a comma when none occurs. */
function guessDelimiter(start: string): string {
  const line = /^[\r\n]*([^\r\n]*)/.exec(start.replace(/"[^"]*"/g, ''))?.[1] ?? ''
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
  const most = Math.max(...counts)
  return DELIMITERS[counts.indexOf(most)] ?? ','
}

function explain(error: unknown): unknown {
  const { code, message, lines } = error as { code?: string; message: string; lines?: number }
  if (!code?.startsWith('CSV_')) return error
  const place = `line ${lines ?? 1}`
  if (code === 'CSV_MAX_RECORD_SIZE')
    return tooMuch('the row is too long, possibly because of an unclosed quote', place)
  const problem = problems[code]
  if (problem === undefined) throw new Error(`csv-parse: ${message}`, { cause: error })
  return badFile(problem, place)
}

const problems: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_INVALID_CLOSING_QUOTE:
    'a closing quote must be followed by a delimiter or the end of the line',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE:
    'a closing quote must be followed by a delimiter or the end of the line',
}
