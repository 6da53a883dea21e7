/** A value of any type as it is edited. */
export function anyText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * The value that a text means where any may stand: numbers, true, false and lists with a code as JSON writes them; any
 * other text is text.
 */
export function readAny(text: string): unknown {
  if (!/^\s*(-?\d|true\s*$|false\s*$|\[)/.test(text)) return text
  try {
    const value = JSON.parse(text) as unknown
    const isCoded = Array.isArray(value) && typeof value[0] === 'string' && value[0].length === 1
    return typeof value === 'object' && !isCoded ? text : value
  } catch {
    return text
  }
}
