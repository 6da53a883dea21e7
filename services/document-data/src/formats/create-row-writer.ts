import { createArrowWriter } from './arrow'
import { createCsvWriter } from './csv'
import { createNdjsonWriter } from './ndjson'
import type { RowWriter, WrittenColumn } from './row-writer'

/** A form of rows beside the JSON documents of the REST interface. */
export type RowFormat = 'ndjson' | 'csv' | 'arrow'

/** A writer for this form. Where columns have the same name, those after the first get a number, as SQLite does it. */
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

/** An object has no two members of one name, nor does the library for Arrow write two such columns. */
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
