import { detectDelimiter, readDelimitedRows } from '@sheaf/tabular/delimited-rows'
import type { TextFile } from '@sheaf/tabular/text-file'
import { badFile, requireCellSize, tooManyColumns } from './import-errors'
import { importLimits } from './import-limits'
import { openImportText, readImportText, toImportError } from './import-text'
import type { RowSink, RowSource } from './row-sink'

/**
 * The rows of CSV or TSV, as one table. The first non-empty line names the columns; rows may be shorter or
 * longer.
 * @param delimiter separator of the cells; detected from the first line when absent
 */
export function delimitedRows(path: string, name: string, delimiter?: string): RowSource {
  return async (sink) => {
    const file = await openImportText(path)
    await readRows(file, delimiter ?? detectDelimiter(file.start), begin(sink, name))
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
