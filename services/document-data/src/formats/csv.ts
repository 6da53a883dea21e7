import type { Row, RowWriter, WrittenColumn } from './row-writer'
import { valueText } from './value-text'

/** Text that would not be read back as one field, or not as text, unless it stands in quotes. */
const NEEDS_QUOTES = /[",\r\n]|^$/

/**
 * Writes rows as RFC 4180 has it, with a line of names and lines that end in `\n`. Nothing stands for null, and `""` for
 * text of no length; but where a row is a single null, `""` too, since an empty line would be no row to many readers.
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

/** A line of CSV; undefined is null. */
export function csvLine(fields: readonly (string | undefined)[]): string {
  return `${fields.map((field) => (field === undefined ? '' : csvField(field))).join(',')}\n`
}

function csvField(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
