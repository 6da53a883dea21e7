import type { Cell } from './column-type'

/**
 * First character of stored text that is not plain; the JSON of the cell follows. It is a control character, so
 * that text practically never begins with it. Text that does is itself stored tagged, which keeps the encoding
 * unambiguous:
 *
 * | cell                        | in a list column | in an Any column |
 * |-----------------------------|------------------|------------------|
 * | list `["L","a"]`            | `["a"]`          | tag + `["L","a"]`|
 * | text `abc`                  | `abc`            | `abc`            |
 * | text `["a"]`                | tag + `"[\"a\"]"`| `["a"]`          |
 * | text that begins with a tag | tag + its JSON   | tag + its JSON   |
 * | true                        | –                | tag + `true`     |
 */
export const TAG = '\u0001'

/** SQL condition: the quoted column holds tagged text. A range condition needs no function call per row. */
export function isTaggedSql(column: string): string {
  return `${column}>=char(1) AND ${column}<char(2)`
}

/** SQL value of the JSON in tagged text. */
export function untaggedSql(column: string): string {
  return `json(substr(${column},2))`
}

/** Stored form of a cell without a plain form. */
export function tag(cell: Cell): string {
  return TAG + JSON.stringify(cell)
}

/** The cell in tagged text. */
export function untag(text: string): Cell {
  return JSON.parse(text.slice(1)) as Cell
}

/** Stored form of text in a column where lists are stored as JSON text. */
export function tagListText(text: string): string {
  return text.startsWith('[') || text.startsWith(TAG) ? tag(text) : text
}

/** Stored form of text in an Any column. */
export function tagAnyText(text: string): string {
  return text.startsWith(TAG) ? tag(text) : text
}
