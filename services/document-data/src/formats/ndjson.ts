import type { RowWriter, WrittenColumn } from './row-writer'
import { valueJson } from './value-text'

/** Writes rows as JSON objects, one a line. Of columns with the same name the last one counts. */
export function createNdjsonWriter(columns: readonly WrittenColumn[]): RowWriter {
  const last = new Map(columns.map(({ name }, place) => [name, place]))
  const members = [...last].map(
    ([name, place], i) => [`${i === 0 ? '' : ','}${JSON.stringify(name)}:`, place] as const,
  )
  return {
    write(rows) {
      let text = ''
      for (const row of rows) {
        text += '{'
        for (const [key, place] of members) text += key + valueJson(row[place] ?? null)
        text += '}\n'
      }
      return text === '' ? [] : [Buffer.from(text)]
    },
    finish: () => [],
  }
}
