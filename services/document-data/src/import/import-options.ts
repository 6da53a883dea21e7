/** The decimal separator of numbers in text. */
export type DecimalSeparator = '.' | ','

/** The types chosen for columns: by id of the table, then of the column. */
export type ChosenTypes = ReadonlyMap<string, ReadonlyMap<string, string>>

/** How a file is read. What is absent is detected; what a format does not have is ignored. */
export interface ImportOptions {
  /** Separator of the cells of delimited text: one character. */
  readonly delimiter?: string
  /** Whether the first row that is not blank has the names of the columns; true by default. */
  readonly hasHeader?: boolean
  readonly decimal?: DecimalSeparator
  /** Label of the encoding for TextDecoder. */
  readonly encoding?: string
  readonly types?: ChosenTypes
  /** True for the beginning of delimited text: the last row may be incomplete and is left out. */
  readonly isPart?: boolean
}

/** The options as used; absent for what the format does not have. */
export type UsedOptions = Pick<ImportOptions, 'delimiter' | 'hasHeader' | 'decimal' | 'encoding'>

/** Cells of a text that are examined to detect the decimal separator. */
const MAX_CELLS = 20_000

/**
 * Detects the decimal separator of delimited text by its beginning: a comma when more numbers can only be read with a comma
 * than with a point.
 */
export function detectDecimal(start: string, delimiter: string): DecimalSeparator {
  if (delimiter === ',') return '.'
  let balance = 0
  for (const cell of start
    .split(/[\r\n]+/)
    .flatMap((line) => line.split(delimiter))
    .slice(0, MAX_CELLS)) {
    const text = cell.trim().replace(/^"(.*)"$/s, '$1')
    if (WITH_COMMA.test(text)) balance++
    else if (WITH_POINT.test(text)) balance--
  }
  return balance > 0 ? ',' : '.'
}

/** Of three digits after one separator it is not known whether they are thousands. */
const WITH_COMMA = /^[-+]?(?:\d{1,3}(?:\.\d{3})+,\d+|\d+,(?!\d{3}$)\d+)$/
const WITH_POINT = /^[-+]?(?:\d{1,3}(?:,\d{3})+\.\d+|\d+\.(?!\d{3}$)\d+)$/
