import { PassThrough } from 'node:stream'
import ExcelJS from 'exceljs'
import { columns, type Row } from '../load/rows'

/*
 * Straightforward exports of the table: CSV by concatenating texts, XLSX with the streaming writer of a
 * library.
 */

type StoredRow = { readonly id: number } & Row

const names = Object.keys(columns) as (keyof Row)[]
const DAY_LENGTH = 10

/** The rows as CSV. */
export function renderCsv(rows: readonly StoredRow[]): string {
  const lines = rows.map((row) =>
    names
      .map((name) => toText(name, row[name]))
      .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
      .join(','),
  )
  return [names.join(','), ...lines, ''].join('\n')
}

function toText(name: keyof Row, value: Row[keyof Row]): string {
  switch (columns[name]) {
    case 'Bool':
      return value ? 'true' : 'false'
    case 'Date':
      return new Date(Number(value) * 1000).toISOString().slice(0, DAY_LENGTH)
    default:
      return String(value)
  }
}

/** The rows as XLSX. */
export async function renderSheet(rows: readonly StoredRow[]): Promise<Buffer> {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ stream, useStyles: true })
  const sheet = workbook.addWorksheet('Customers')
  sheet.addRow(names).commit()
  for (const row of rows) sheet.addRow(names.map((name) => toCell(name, row[name]))).commit()
  sheet.commit()
  await workbook.commit()
  return Buffer.concat(chunks)
}

function toCell(name: keyof Row, value: Row[keyof Row]): unknown {
  if (columns[name] === 'Bool') return Boolean(value)
  return columns[name] === 'Date' ? new Date(Number(value) * 1000) : value
}
