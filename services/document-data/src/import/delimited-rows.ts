import { readDelimitedRows } from '@sheaf/tabular/delimited-rows'
import type { TextFile } from '@sheaf/tabular/text-file'
import { badFile, requireCellSize, tooManyColumns } from './import-errors'
import { importLimits } from './import-limits'
import { readImportText, toImportError } from './import-text'
import type { RowSink, RowSource } from './row-sink'

/** How CSV or TSV is read. */
export interface DelimitedForm {
  readonly delimiter: string
  /** Whether the first line that is not blank names the columns. */
  readonly hasHeader: boolean
  /** True for the beginning of a file: its last row is left out. */
  readonly isPart: boolean
}

/** The rows of CSV or TSV, as one table. Rows may be shorter or longer than the first one. */
export function delimitedRows(file: TextFile, name: string, form: DelimitedForm): RowSource {
  return (sink) => {
    const take = begin(sink, name, form.hasHeader)
    return form.isPart
      ? readBeginning(file, form.delimiter, take)
      : readRows(file, form.delimiter, take)
  }
}

type TakeRow = (cells: readonly string[], line: number) => void

function begin(sink: RowSink, name: string, hasHeader: boolean): TakeRow {
  let isFirst = true
  return (cells, line) => {
    const place = () => `line ${line}`
    if (cells.length > importLimits.columns) throw tooManyColumns(place())
    for (const cell of cells) requireCellSize(cell.length, place())
    if (!isFirst) return sink.addRow(cells, place)
    isFirst = false
    sink.beginTable(name)
    if (hasHeader) sink.nameColumns(cells)
    else sink.addRow(cells, place)
  }
}

/** All rows but the last one, which the end of the part may have cut, within a quoted cell or a character as well. */
async function readBeginning(file: TextFile, delimiter: string, take: TakeRow): Promise<void> {
  let last: Parameters<TakeRow> | undefined
  try {
    await readRows(file, delimiter, (...row) => {
      if (last) take(...last)
      last = row
    })
  } catch (error) {
    if (!last) throw error
    // The rows until the place of the error are whole.
    take(...last)
  }
}

async function readRows(file: TextFile, delimiter: string, take: TakeRow): Promise<void> {
  const rows = readDelimitedRows(readImportText(file), {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_quotes: true,
    maxRowChars: importLimits.rowChars,
  })
  let isEmpty = true
  try {
    for await (const { cells, lastLine } of rows) {
      isEmpty = false
      take(cells, lastLine)
    }
  } catch (error) {
    throw toImportError(error)
  }
  if (isEmpty) throw badFile('the file is empty')
}
