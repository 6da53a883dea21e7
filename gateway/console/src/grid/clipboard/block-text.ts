import type { Column, Row } from '../../api/resources'
import { cellText } from '../../formats/cell-text'
import { toTsvCell } from './tsv'

/** A block of cells as other programs paste it: as TSV, and as a table of HTML. */
export interface BlockText {
  readonly tsv: string
  readonly html: string
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '<br>',
}
const toHtml = (text: string): string => text.replace(/[&<>"\n]/g, (found) => escapes[found] ?? '')

/** Writes some columns of rows as text. */
export function writeBlock(rows: readonly Row[], columns: readonly Column[]): BlockText {
  const lines = rows.map(({ fields }) =>
    columns.map((column) => cellText(fields[column.id], column)),
  )
  const wrap = (tag: string, parts: readonly string[]) =>
    parts.map((part) => `<${tag}>${part}</${tag}>`).join('')
  return {
    tsv: lines.map((line) => line.map(toTsvCell).join('\t')).join('\n'),
    html: `<table>${wrap(
      'tr',
      lines.map((line) => wrap('td', line.map(toHtml))),
    )}</table>`,
  }
}
