/** Returns the editable text of a value of any type. */
export function anyText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Parses text as a value of any type: numbers, true, false and lists with a type code are parsed as JSON;
 * everything else is text.
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
