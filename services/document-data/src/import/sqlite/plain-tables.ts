import type { DocumentWriter } from '../../store/document'
import type { Cell, ColumnType, StoredValue } from '../../values/column-type'
import type { ColumnGuess } from '../../values/guessing/guess-column'
import { TypeSurvey } from '../../values/guessing/type-survey'
import { quoteId } from '../../quoting/quote'
import type { LoadedTable } from '../copy-document'
import {
  badFile,
  requireCellSize,
  shown,
  tooManyColumns,
  tooMuch,
  type Place,
} from '../import-errors'
import { importLimits } from '../import-limits'
import { chooseTypes, type TypeChoice } from '../chosen-types'
import type { ImportNotes } from '../import-notes'
import { makeTables } from '../load-tables'
import { copyRows, type CopiedColumn, type Counting } from './copy-rows'
import { readPlainSchema, type PlainColumn, type PlainTable } from './plain-schema'
import type { UploadedDatabase } from './uploaded-database'

/** How the tables of a file are copied. */
export interface PlainCopy extends Counting {
  /** Called for every row that is read to find the types of the columns. */
  readonly onRead: () => void
  readonly notes: ImportNotes
  readonly types: TypeChoice
}

/**
 * Creates a document with the tables of a SQLite file of any program. Types follow from the stored values, of which text
 * is never taken for a number; binary data are left out and noted. Throws `invalid` for a file without tables, and
 * `too_large` for one beyond the limits.
 */
export function copyPlainTables(
  source: UploadedDatabase,
  target: DocumentWriter,
  { onRead, notes, types, ...counting }: PlainCopy,
): LoadedTable[] {
  const tables = readPlainSchema(source, notes)
  if (tables.length === 0) throw badFile('the SQLite file has no tables')
  requireFewColumns(tables)
  const guesses = tables.map((table) => guessColumns(source, table, { onRead, notes }))
  const ids = makeTables(
    target,
    tables.map(({ tableId: name, columns }, i) => ({
      name,
      rows: 0,
      columns: columns.map((column, k) => ({ label: column.name, guess: guesses[i]?.[k] })),
    })),
  )
  chooseTypes(target, types)
  return tables.map((table, i) => {
    const id = ids[i] ?? table.tableId
    const columns = copiedColumns(target, id, table)
    const { name: from, key: rowId } = table
    const wanted = { tableId: id, from, columns, ...(rowId !== undefined && { rowId }) }
    return { id, rows: copyRows(source, target, wanted, counting) }
  })
}

function requireFewColumns(tables: readonly PlainTable[]): void {
  let all = 0
  for (const { name, columns } of tables) {
    if (columns.length > importLimits.columns) throw tooManyColumns(`table ${shown(name)}`)
    all += columns.length
  }
  if (all > importLimits.allColumns)
    throw tooMuch(
      `an import must not have more than ${importLimits.allColumns} columns in all tables`,
    )
}

/** The types of the columns; undefined for one without values. */
function guessColumns(
  source: UploadedDatabase,
  { name, columns }: PlainTable,
  { onRead, notes }: Pick<PlainCopy, 'onRead' | 'notes'>,
): (ColumnGuess | undefined)[] {
  if (columns.length === 0) return []
  const place = `table ${shown(name)}`
  const surveys = columns.map((column) => new PlainSurvey(column))
  const list = columns.map((column) => quoteId(column.name)).join(', ')
  const rows = source.db
    .prepare<[], unknown[]>(`SELECT ${list} FROM ${quoteId(name)}`)
    .raw()
    .safeIntegers()
    .iterate()
  for (const row of rows) {
    surveys.forEach((survey, i) => survey.see(row[i], place))
    onRead()
  }
  surveys.forEach((survey, i) => {
    if (survey.sawBytes)
      notes.add(`left out: binary data in column ${shown(columns[i]?.name ?? '')} of ${place}`)
  })
  return surveys.map((survey) => survey.guess)
}

const settings = { timezone: 'UTC', locale: 'en-US' }

/** Finds the type that fits all values of a column. */
class PlainSurvey {
  sawBytes = false
  private readonly survey = new TypeSurvey(settings)
  private sawText = false
  private sawReal = false

  constructor(private readonly column: PlainColumn) {}

  see(value: unknown, place: Place): void {
    this.sawBytes ||= Buffer.isBuffer(value)
    this.sawText ||= typeof value === 'string'
    this.sawReal ||= typeof value === 'number'
    this.survey.see(plainCell(value, this.column, place))
  }

  get guess(): ColumnGuess | undefined {
    const { references } = this.column
    if (references !== undefined) return { type: `Ref:${references}` }
    const { guess } = this.survey
    if (guess === undefined || /^Date|^Text$/.test(guess.type)) return guess
    if (this.sawText) return { type: 'Text' }
    return guess.type === 'Int' && this.sawReal ? { type: 'Numeric' } : guess
  }
}

/** A value of the file as a cell; bytes are blank, and a whole number that a cell cannot represent is text. */
function plainCell(value: unknown, { isTruth }: PlainColumn, place: Place): Cell {
  switch (typeof value) {
    case 'bigint': {
      if (isTruth) return value === 1n
      const number = Number(value)
      return Number.isSafeInteger(number) ? number : String(value)
    }
    case 'number':
      return value
    case 'string':
      requireCellSize(value.length, place)
      return value
    default:
      return null
  }
}

function copiedColumns(target: DocumentWriter, tableId: string, table: PlainTable): CopiedColumn[] {
  const place = `table ${shown(table.name)}`
  const { columns } = target.schema.get(tableId)
  const own = columns.filter(({ id }) => id !== 'manualSort')
  return [
    { id: 'manualSort', store: (_, rowId) => rowId },
    ...own.flatMap(({ id, type, options, isFormula }, i): CopiedColumn[] => {
      const column = table.columns[i]
      // A column whose values are all blank remains an empty column.
      if (!column || isFormula) return []
      const store = (value: unknown) => storedCell(plainCell(value, column, place), type, options)
      return [{ id, from: column.name, store }]
    }),
  ]
}

function storedCell(
  cell: Cell,
  type: ColumnType,
  options: Readonly<Record<string, unknown>>,
): StoredValue {
  // Not a row id, although the key says so.
  if (type.name === 'Ref' && typeof cell === 'number' && !(Number.isInteger(cell) && cell >= 0))
    return String(cell)
  return type.toStored(cell, { settings, widgetOptions: options }, { noParse: false })
}
