import { createArrowWriter } from './arrow'
import { createCsvWriter } from './csv'
import { createNdjsonWriter } from './ndjson'
import type { RowWriter, WrittenColumn } from './row-writer'

/** An output format of rows other than the JSON documents of the REST API. */
export type RowFormat = 'ndjson' | 'csv' | 'arrow'

/** Creates a writer for a format. Duplicate column names get numeric suffixes, as in SQLite. */
export function createRowWriter(format: RowFormat, columns: readonly WrittenColumn[]): RowWriter {
  const unique = withUniqueNames(columns)
  switch (format) {
    case 'ndjson':
      return createNdjsonWriter(unique)
    case 'csv':
      return createCsvWriter(unique)
    case 'arrow':
      return createArrowWriter(unique)
  }
}

/**
 * Makes column names unique: JSON objects cannot have duplicate keys, and the Arrow library does not write
 * duplicate columns.
 */
function withUniqueNames<C extends WrittenColumn>(columns: readonly C[]): C[] {
  const taken = new Set(columns.map(({ name }) => name))
  const seen = new Set<string>()
  return columns.map((column) => {
    let { name } = column
    if (seen.has(name))
      for (let number = 1; taken.has(name); number++) name = `${column.name}:${number}`
    taken.add(name)
    seen.add(name)
    return { ...column, name }
  })
}
