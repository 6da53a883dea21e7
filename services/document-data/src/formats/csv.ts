import type { Row, RowWriter, WrittenColumn } from './row-writer'
import { valueText } from './value-text'

/** Text that must be quoted to be read back as a single text field. */
const NEEDS_QUOTES = /[",\r\n]|^$/

/**
 * Writes rows as CSV by RFC 4180, with a header line and `\n` line endings. Null is an empty field and empty
 * text is `""`. A row that is a single null is also `""`, because many readers skip empty lines.
 */
export function createCsvWriter(columns: readonly WrittenColumn[]): RowWriter {
  const isSingle = columns.length === 1
  let begun = false
  const begin = () => {
    const head = begun ? '' : csvLine(columns.map(({ name }) => name))
    begun = true
    return head
  }
  const line = (row: Row) => {
    const fields = columns.map((_, place) => valueText(row[place] ?? null))
    return csvLine(isSingle ? [fields[0] ?? ''] : fields)
  }
  return {
    write(rows) {
      const text = begin() + rows.map(line).join('')
      return text === '' ? [] : [Buffer.from(text)]
    },
    finish: () => (begun ? [] : [Buffer.from(begin())]),
  }
}

/** Writes a line of CSV; undefined is null. */
export function csvLine(fields: readonly (string | undefined)[]): string {
  return `${fields.map((field) => (field === undefined ? '' : csvField(field))).join(',')}\n`
}

function csvField(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
