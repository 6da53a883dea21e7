import type { ImportPreview, PreviewedTable } from '@sheaf/client'
import { cutText } from '@sheaf/kit/truncate-text'
import { formatTable } from '../terminal'
import type { ImportAnswer } from './import-upload'

/** Example cells of a column. */
const EXAMPLES = 3
const EXAMPLE_CHARS = 20

const count = (rows: number) => `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`

/** Describes what was made of a file, or would be. */
export function describeAnswer(answer: ImportAnswer, into: string, seconds: number): string[] {
  if ('preview' in answer) return describePreview(answer.preview)
  const made = 'document' in answer ? answer.document : answer.imported
  const took = `(${seconds.toFixed(1)} s)`
  return [
    ...made.tables.map(({ id, rows }) => `${count(rows)} in table ${id}`),
    ...made.notes,
    'document' in answer
      ? `created document ${answer.document.id}, "${answer.document.title}" ${took}`
      : `imported into document ${into} as change ${answer.imported.seq} ${took}`,
  ]
}

/** Returns what was made of a file, or would be, as the API does. */
export function toJson(answer: ImportAnswer): string {
  if ('preview' in answer) return JSON.stringify(answer.preview)
  if ('imported' in answer) return JSON.stringify(answer.imported)
  const { id, title, tables, notes } = answer.document
  return JSON.stringify({ id, title, tables, notes })
}

function describePreview({ format, options, tables, notes }: ImportPreview): string[] {
  const used = Object.entries(options).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  const read = [`format ${format}`, ...used].join(', ')
  return [read, ...tables.flatMap(describeTable), ...notes]
}

function describeTable({ id, rows, columns, records }: PreviewedTable): string[] {
  const lines = columns.map((column) => [
    column.id,
    column.fields.type,
    records
      .slice(0, EXAMPLES)
      .map(({ fields }) => toExample(fields[column.id], column.fields.type))
      .join(', '),
  ])
  const table = lines.length === 0 ? [] : [formatTable(['COLUMN', 'TYPE', 'FIRST CELLS'], lines)]
  return [`\ntable ${id}, ${count(rows)}`, ...table]
}

/** A time in epoch seconds as text; undefined if it is none. */
function toIsoText(seconds: number, type: string): string | undefined {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return undefined
  const text = date.toISOString()
  return type === 'Date' ? text.slice(0, 10) : text
}

/** A cell in one line, without control characters, which terminals would execute. */
function toExample(cell: unknown, type: string): string {
  const isTime = typeof cell === 'number' && type.startsWith('Date')
  const time = isTime ? toIsoText(cell, type) : undefined
  const text = time ?? (typeof cell === 'string' ? cell : JSON.stringify(cell ?? null))
  return cutText(text.replace(/\p{Cc}+/gu, ' '), EXAMPLE_CHARS)
}
