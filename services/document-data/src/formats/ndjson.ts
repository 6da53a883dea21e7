import type { RowWriter, WrittenColumn } from './row-writer'
import { valueJson } from './value-text'

/** Writes rows as JSON objects, one per line. Column names must be unique. */
export function createNdjsonWriter(columns: readonly WrittenColumn[]): RowWriter {
  const keys = columns.map(({ name }, i) => `${i === 0 ? '' : ','}${JSON.stringify(name)}:`)
  return {
    write(rows) {
      let text = ''
      for (const row of rows) {
        text += '{'
        for (const [place, key] of keys.entries()) text += key + valueJson(row[place] ?? null)
        text += '}\n'
      }
      return text === '' ? [] : [Buffer.from(text)]
    },
    finish: () => [],
  }
}
