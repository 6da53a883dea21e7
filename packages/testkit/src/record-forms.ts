import { DataType, tableFromIPC, Vector, type Field } from 'apache-arrow'
import { parse } from 'csv-parse/sync'

/** A record as in the JSON API. */
export interface FormRecord {
  readonly id: number
  readonly fields: Record<string, unknown>
}

/** Parses a response in NDJSON. Throws for a malformed line. */
export function recordsOfNdjson(bytes: Uint8Array): FormRecord[] {
  const lines = Buffer.from(bytes).toString().split('\n')
  if (lines.pop() !== '') throw new Error('the last line has no end')
  return lines.map((line) => JSON.parse(line) as FormRecord)
}

/** Parses a response in CSV with an independent parser: all cells are texts. */
export function recordsOfCsv(bytes: Uint8Array): FormRecord[] {
  const lines: string[][] = parse(Buffer.from(bytes), { record_delimiter: '\n' })
  const [names = [], ...rows] = lines
  if (names[0] !== 'id') throw new Error('the first column is not the row id')
  return rows.map(([id, ...cells]) => ({
    id: Number(id),
    fields: Object.fromEntries(cells.map((cell, i) => [names[i + 1] ?? '', cell])),
  }))
}

/** Converts the cells of records to texts, as in CSV. */
export function withTexts(records: readonly FormRecord[]): FormRecord[] {
  const text = (cell: unknown) =>
    cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)
  return records.map(({ id, fields }) => ({
    id,
    fields: Object.fromEntries(Object.entries(fields).map(([name, cell]) => [name, text(cell)])),
  }))
}

/** Parses a response in Arrow, with cells as in the JSON API. */
export function recordsOfArrow(bytes: Uint8Array): FormRecord[] {
  const { schema, batches } = tableFromIPC(bytes)
  return batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_, row) => {
      const cells = schema.fields.map((field, i): [string, unknown] => [
        field.name,
        cellOf(field, batch.getChildAt(i)?.get(row)),
      ])
      const { id, _unparsed, ...fields } = Object.fromEntries(cells)
      return { id: id as number, fields: { ...fields, ...(_unparsed as object | null) } }
    }),
  )
}

function cellOf({ type, metadata }: Field, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (value instanceof Vector) return ['L', ...[...value].map(plainNumber)]
  if (DataType.isDate(type) || DataType.isTimestamp(type)) return Number(value) / 1000
  if (metadata.get('ARROW:extension:name') === 'arrow.json') return JSON.parse(value as string)
  return plainNumber(value)
}

function plainNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
