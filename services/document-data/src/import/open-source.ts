import { detectDelimiter } from '@sheaf/tabular/delimited-rows'
import { delimitedRows } from './delimited-rows'
import type { ImportFormat } from './import-format'
import { detectDecimal, type ImportOptions, type UsedOptions } from './import-options'
import { openImportText } from './import-text'
import { jsonRows } from './json-rows'
import type { RowSource } from './row-sink'
import { workbookRows } from './workbook-rows'

/** The rows of a file, and how it is read. */
export interface OpenedSource {
  readonly rows: RowSource
  readonly used: UsedOptions
}

/**
 * Detects what the options leave open.
 * @param name of a table that has none in the file
 */
export async function openSource(
  format: Exclude<ImportFormat, 'sqlite'>,
  upload: string,
  name: string,
  options: ImportOptions,
): Promise<OpenedSource> {
  const { hasHeader = true, decimal = '.', isPart = false } = options
  if (format === 'xlsx')
    return { rows: workbookRows(upload, hasHeader), used: { hasHeader, decimal } }
  const file = await openImportText(upload, options)
  const { encoding } = file
  if (format === 'json') return { rows: jsonRows(file, name), used: { decimal, encoding } }
  const detected = format === 'tsv' ? '\t' : detectDelimiter(file.start)
  const delimiter = options.delimiter ?? detected
  const used = {
    delimiter,
    hasHeader,
    decimal: options.decimal ?? detectDecimal(file.start, delimiter),
    encoding,
  }
  return { rows: delimitedRows(file, name, { delimiter, hasHeader, isPart }), used }
}
