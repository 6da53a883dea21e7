import { createArrowWriter } from './arrow'
import { createCsvWriter } from './csv'
import { createNdjsonWriter } from './ndjson'
import type { RowWriter, WrittenColumn } from './row-writer'

/** A form of rows beside the JSON documents of the REST interface. */
export type RowFormat = 'ndjson' | 'csv' | 'arrow'

/** A writer for this form. */
export function createRowWriter(format: RowFormat, columns: readonly WrittenColumn[]): RowWriter {
  switch (format) {
    case 'ndjson':
      return createNdjsonWriter(columns)
    case 'csv':
      return createCsvWriter(columns)
    case 'arrow':
      return createArrowWriter(columns)
  }
}
