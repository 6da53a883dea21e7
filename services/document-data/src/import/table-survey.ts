import { cutText } from '@sheaf/kit/truncate-text'
import type { DocumentSettings } from '../values/column-type'
import type { ColumnGuess } from '../values/guessing/guess-column'
import { TypeSurvey } from '../values/guessing/type-survey'
import type { DecimalSeparator } from './import-options'
import { badFile, shown, tooManyColumns, tooMuch } from './import-errors'
import { importLimits } from './import-limits'
import type { ImportedCell, RowSink } from './row-sink'

/** A column to create. */
export interface PlannedColumn {
  /** Empty when the file has no name for it. */
  readonly label: string
  /** Type of its values; undefined when all are blank. */
  readonly guess: ColumnGuess | undefined
  /** Format of its values if they are to be dates; undefined when they fit none. */
  readonly dateFormat?: string | undefined
}

/** A table to create. */
export interface PlannedTable {
  readonly name: string
  readonly columns: readonly PlannedColumn[]
  readonly rows: number
}

/** Rows of each table that are kept for a preview. */
export const SAMPLE_ROWS = 20
/** Characters of a cell in a sample; the rest is cut off. */
const SAMPLE_CELL_CHARS = 1_000
/** Cells, and thousands of characters, of all samples together; the rows beyond are left out. */
const SAMPLE_CELLS = 200_000

/** The survey of a file. */
export interface SurveyOptions {
  readonly settings: DocumentSettings
  readonly decimal: DecimalSeparator
  /** True to keep the first rows of each table. */
  readonly hasSample: boolean
  readonly onRow: () => void
}

interface SurveyedTable {
  readonly name: string
  /** The first rows. */
  readonly sample: ImportedCell[][]
  labels: readonly string[]
  readonly surveys: TypeSurvey[]
  rows: number
}

/**
 * The first pass over a file: determines its tables, columns and column types. Throws `too_large` when there
 * are too many.
 */
export class TableSurvey implements RowSink {
  private readonly tables: SurveyedTable[] = []
  private current: SurveyedTable | undefined
  private columns = 0
  private sampleCells = 0

  constructor(private readonly options: SurveyOptions) {}

  /** The tables found. */
  get plan(): PlannedTable[] {
    return this.tables.map(({ name, labels, surveys, rows }) => ({
      name,
      rows,
      columns: surveys.map((survey, i) => ({
        label: labels[i] ?? '',
        guess: survey.guess,
        dateFormat: survey.dateFormat,
      })),
    }))
  }

  /** Passes the sample on as if it were the file. */
  async replay(sink: RowSink): Promise<void> {
    for (const { name, labels, sample } of this.tables) {
      sink.beginTable(name)
      sink.nameColumns(labels)
      for (const row of sample) sink.addRow(row, () => name)
    }
    return Promise.resolve()
  }

  beginTable(name: string): void {
    if (this.tables.length >= importLimits.tables)
      throw tooMuch(`an import must not have more than ${importLimits.tables} tables`)
    requireName(name, () => `table ${shown(name.replaceAll('\0', ''))}`)
    this.current = { name, sample: [], labels: [], surveys: [], rows: 0 }
    this.tables.push(this.current)
  }

  nameColumns(labels: readonly string[]): void {
    const table = this.table()
    for (const label of labels) requireName(label, () => `table ${shown(table.name)}`)
    table.labels = labels
    this.widen(table, labels.length, () => `table ${shown(table.name)}`)
  }

  addRow(cells: readonly ImportedCell[], place: () => string): void {
    const table = this.table()
    if (cells.length > table.surveys.length) this.widen(table, cells.length, place)
    const { surveys } = table
    for (let i = 0; i < surveys.length; i++) {
      const cell = cells[i] ?? null
      if (typeof cell === 'string') requireWellFormed(cell, place)
      surveys[i]?.see(cell)
    }
    table.rows++
    if (this.options.hasSample) this.keep(table, cells)
    this.options.onRow()
  }

  private keep({ sample }: SurveyedTable, cells: readonly ImportedCell[]): void {
    if (sample.length >= SAMPLE_ROWS || this.sampleCells > SAMPLE_CELLS) return
    this.sampleCells += cells.length
    sample.push(
      cells.map((cell) => (typeof cell === 'string' ? cutText(cell, SAMPLE_CELL_CHARS) : cell)),
    )
  }

  private widen({ surveys, rows }: SurveyedTable, width: number, place: () => string): void {
    if (width > importLimits.columns) throw tooManyColumns(place())
    while (surveys.length < width) {
      if (++this.columns > importLimits.allColumns)
        throw tooMuch(
          `an import must not have more than ${importLimits.allColumns} columns in all tables`,
        )
      const survey = new TypeSurvey(this.options.settings, this.options.decimal)
      // The column is blank in all preceding rows.
      if (rows > 0) survey.see(null)
      surveys.push(survey)
    }
  }

  private table(): SurveyedTable {
    if (!this.current) throw new Error('a row comes before its table')
    return this.current
  }
}

/** Throws `invalid` for the name of a table or column that the API would not accept. */
function requireName(name: string, place: () => string): void {
  requireWellFormed(name, place)
  if (name.includes('\0')) throw badFile('a name must not contain NUL', place())
}

/** An unpaired surrogate could not be returned in any valid reply. */
function requireWellFormed(text: string, place: () => string): void {
  if (LONE_SURROGATE.test(text)) throw badFile('a text value is not well-formed Unicode', place())
}

const LONE_SURROGATE = /\p{Surrogate}/u
