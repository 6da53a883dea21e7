const NUMBER = /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d{1,3}(?:[ '\u00a0\u202f]\d{3})+|\d+)(?:,\d+)?\s?%?$/

/**
 * The text of a number with a decimal comma, such as `1.234,5`, as it is written with a decimal point: `1,234.5`. Undefined
 * for text that is no such number; `1.5` is none.
 */
export function withDecimalPoint(text: string): string | undefined {
  if (!NUMBER.test(text)) return undefined
  const [whole = '', fraction] = text.split(',')
  const grouped = whole.replace(/[.'\u00a0\u202f ](?=\d)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
