import type { Column, Row } from '../../api/resources'
import { cellText } from '../../formats/cell-text'
import { keepValues } from './kept-values'
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

/** Where copied cells are from. */
export interface CopySource {
  /** Names the document among all. */
  readonly source: string
  /** Returns the text by which a cell is shown that names rows or files; undefined for others. */
  readonly knownText: (column: Column, value: unknown) => string | undefined
}

/** Writes some columns of rows as text, with the values in the HTML. */
export function writeBlock(
  rows: readonly Row[],
  columns: readonly Column[],
  { source, knownText }: CopySource,
): BlockText {
  const cells = rows.map(({ fields }) => columns.map(({ id }) => fields[id]))
  const lines = cells.map((line) =>
    columns.map((column, at) => knownText(column, line[at]) ?? cellText(line[at], column)),
  )
  const tsv = lines.map((line) => line.map(toTsvCell).join('\t')).join('\n')
  const types = columns.map(({ fields }) => fields.type)
  const kept = keepValues({ source, types, rows: cells, text: tsv })
  const wrap = (tag: string, parts: readonly string[]) =>
    parts.map((part) => `<${tag}>${part}</${tag}>`).join('')
  return {
    tsv,
    html: `<table ${kept}>${wrap(
      'tr',
      lines.map((line) => wrap('td', line.map(toHtml))),
    )}</table>`,
  }
}
