import { createHash } from 'node:crypto'
import { ColumnGuess, type GuessedType } from '../csv/column-guess'
import { readCsv } from '../csv/csv-file'

/** The result of reading a whole CSV file once. */
export interface CsvScan {
  readonly headers: readonly string[]
  /** Guessed type of each column. */
  readonly types: readonly GuessedType[]
  /** Number of rows below the header. */
  readonly rows: number
  readonly sha256: string
}

/**
 * Reads the whole file once, before anything is sent, so that a malformed row is found before the first row
 * is stored.
 * @param options.text treats every column as Text
 */
export async function scanCsv(
  file: string,
  options: { delimiter?: string; text?: boolean },
): Promise<CsvScan> {
  const hash = createHash('sha256')
  const { delimiter, text = false } = options
  let headers: readonly string[] = []
  let guesses: ColumnGuess[] = []
  let rows = -1
  for await (const { cells } of readCsv(file, {
    delimiter,
    onBytes: (bytes) => hash.update(bytes),
  })) {
    rows++
    if (rows === 0) {
      headers = cells
      guesses = cells.map(() => new ColumnGuess())
    } else if (!text) {
      for (let i = 0; i < cells.length; i++) guesses[i]?.see(cells[i] ?? '')
    }
  }
  return { headers, types: guesses.map((guess) => guess.type), rows, sha256: hash.digest('hex') }
}
