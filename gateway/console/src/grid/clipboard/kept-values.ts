import { errorName, isPending } from '../../formats/value'
import { readTsv } from './tsv'

/** Cells as they are stored, beside their texts in a copied block. */
export interface KeptValues {
  /** The document that they are from: ids of rows and files mean nothing in another one. */
  readonly source: string
  /** The types of their columns. */
  readonly types: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** The text beside them: another program may change it, and keep this. */
  readonly text: string
}

/** A pasted cell: its text and, if the console copied it from the same document, the type of its column and its value. */
export interface PastedCell {
  readonly text: string
  readonly type?: string
  readonly value?: unknown
}

const ATTRIBUTE = 'data-sheaf-cells'

/** Returns an attribute of HTML that holds values. */
export const keepValues = (kept: KeptValues): string =>
  `${ATTRIBUTE}="${encodeURIComponent(JSON.stringify(kept))}"`

/**
 * Returns pasted lines of texts as cells, with the values that the HTML beside them holds. It may come from anywhere: the API
 * checks the values as it checks all that is written.
 */
export function toPastedCells(
  lines: readonly (readonly string[])[],
  html: string,
  source: string,
): readonly (readonly PastedCell[])[] {
  const kept = readKept(html)
  if (kept?.source !== source || canonical(readTsv(kept.text)) !== canonical(lines))
    return lines.map((line) => line.map((text) => ({ text })))
  const { types, rows } = kept
  // The text has no line for empty cells at its end.
  return rows.map((values, at) =>
    types.map((type, index) => {
      const text = lines[at]?.[index] ?? ''
      const value = values[index]
      return isPending(value) || errorName(value) !== undefined
        ? { text }
        : { text, type, value: value ?? null }
    }),
  )
}

/** Some systems change the line breaks of a text in the clipboard, also those in a cell. */
const canonical = (lines: readonly (readonly string[])[]): string =>
  JSON.stringify(lines).replaceAll('\\r\\n', '\\n')

/** Whether HTML holds values of a document. */
export const holdsValues = (html: string, source: string): boolean =>
  readKept(html)?.source === source

function readKept(html: string): KeptValues | undefined {
  const [, text] = new RegExp(` ${ATTRIBUTE}="([^"<>]*)"`).exec(html) ?? []
  if (text === undefined) return undefined
  try {
    const kept = JSON.parse(decodeURIComponent(text)) as unknown
    return isKept(kept) ? kept : undefined
  } catch {
    return undefined
  }
}

function isKept(value: unknown): value is KeptValues {
  if (typeof value !== 'object' || value === null) return false
  const { source, types, rows, text } = value as Partial<Record<keyof KeptValues, unknown>>
  return (
    typeof source === 'string' &&
    typeof text === 'string' &&
    Array.isArray(types) &&
    types.length > 0 &&
    types.every((type) => typeof type === 'string') &&
    Array.isArray(rows) &&
    rows.every((row) => Array.isArray(row) && row.length === types.length)
  )
}
