import { cutText } from '@sheaf/kit/truncate-text'
import { convertCells } from '../store/records/conversion'
import type { DocumentWriter } from '../store/document'
import { insertRows } from '../store/records/insert-rows'
import { addTables, type NewTable } from '../store/structure/tables'
import type { Column, Table } from '../store/schema/schema'
import { withDecimalPoint } from '../values/numbers/decimal-comma'
import { chooseTypes, type TypeChoice } from './chosen-types'
import type { DocumentSize } from './document-size'
import { importLimits } from './import-limits'
import type { DecimalSeparator } from './import-options'
import type { ImportedCell, RowSink } from './row-sink'
import type { PlannedColumn, PlannedTable } from './table-survey'

/** Batch limits in rows and characters, which bound the rows in memory. */
const BATCH_ROWS = 500
const BATCH_CHARS = 4_000_000

/** How rows are stored. */
export interface LoadOptions {
  readonly decimal: DecimalSeparator
  readonly types: TypeChoice
  readonly size: DocumentSize
  readonly onRow: () => void
}

/** The second pass over a file: creates the tables that the first pass found and stores their rows. */
export class TableLoader implements RowSink {
  /** The tables, with the number of rows stored in each so far. */
  readonly made: readonly { readonly id: string; rows: number }[]
  private next = 0
  private table: Table | undefined
  private columns: readonly Column[] = []
  private batch: ImportedCell[][] = []
  private batchRows = 0
  private batchChars = 0

  constructor(
    private readonly doc: DocumentWriter,
    plan: readonly PlannedTable[],
    private readonly options: LoadOptions,
  ) {
    this.made = makeTables(doc, plan).map((id) => ({ id, rows: 0 }))
    const formats = plan.map(({ columns }) => columns.map(({ dateFormat }) => dateFormat))
    chooseTypes(doc, options.types, new Map(this.made.map(({ id }, i) => [id, formats[i] ?? []])))
  }

  beginTable(): void {
    this.finish()
    const { id } = this.made[this.next++] ?? { id: '' }
    this.table = this.doc.schema.get(id)
    this.columns = this.table.columns.filter(({ hidden }) => !hidden)
    this.batch = this.columns.map(() => [])
  }

  nameColumns(): void {
    // Columns were named when the table was created.
  }

  addRow(cells: readonly ImportedCell[]): void {
    this.options.size.addRow(cells, this.columns.length)
    for (let i = 0; i < this.columns.length; i++) {
      const cell = cells[i] ?? null
      if (typeof cell === 'string') this.batchChars += cell.length
      this.batch[i]?.push(cell)
    }
    this.options.onRow()
    if (++this.batchRows >= BATCH_ROWS || this.batchChars > BATCH_CHARS) this.finish()
  }

  /** Stores the current batch. */
  finish(): void {
    const { table, doc } = this
    const last = this.made[this.next - 1]
    if (!table || !last || this.batchRows === 0) return
    const given = this.columns.flatMap((column, i) => {
      // A column whose values are all blank remains an empty column.
      if (column.isFormula) return []
      const values = this.batch[i] ?? []
      const cells = values.map(this.cellFor(column))
      return [{ column, values: convertCells(doc, column, cells, { noParse: false }) }]
    })
    insertRows(doc, table, this.batchRows, given)
    last.rows += this.batchRows
    this.batch = this.columns.map(() => [])
    this.batchRows = 0
    this.batchChars = 0
  }

  private cellFor({ type }: Column): (cell: ImportedCell) => ImportedCell {
    if (type.storage === 'text') return toText
    return type.storage === 'number' && this.options.decimal === ',' ? pointToNull : blankToNull
  }
}

/** Columns that are created at once. */
const COLUMNS_AT_ONCE = 5_000

/** Creates tables of these columns, without rows, and returns their ids. */
export function makeTables(doc: DocumentWriter, plan: readonly PlannedTable[]): string[] {
  const made: string[] = []
  let wished: NewTable[] = []
  let width = 0
  const make = () => {
    made.push(...addTables(doc, wished))
    // One log entry stands for the whole document.
    doc.operations.length = 0
    wished = []
    width = 0
  }
  for (const { name, columns } of plan) {
    if (width + columns.length > COLUMNS_AT_ONCE) make()
    width += columns.length
    wished.push({ id: name, columns: columns.map(newColumn) })
  }
  make()
  return made
}

function newColumn({ label, guess }: PlannedColumn) {
  const name = cutText(label.trim(), importLimits.labelChars)
  const fields = guess ?? { type: 'Any', isFormula: true }
  return name === '' ? { fields } : { id: name, fields: { label: name, ...fields } }
}

/** A number with a decimal comma, with a point. */
function pointToNull(cell: ImportedCell): ImportedCell {
  return typeof cell === 'string' ? (withDecimalPoint(cell) ?? blankToNull(cell)) : cell
}

function blankToNull(cell: ImportedCell): ImportedCell {
  return cell === '' ? null : cell
}

/** The text form of a cell, as in JSON; a missing cell is blank. */
function toText(cell: ImportedCell): string {
  if (!Array.isArray(cell)) return cell === null ? '' : String(cell)
  const text = new Date(cell[1] * 1000).toISOString()
  return cell[0] === 'd' ? text.slice(0, 10) : text
}
