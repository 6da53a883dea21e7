const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPENING = new Set([91, 123])
const LIST = /^\[.*\]$/s
const CLOSING = new Set([93, 125])
const SPACE = new Set([9, 10, 13, 32])

/**
 * Splits a JSON list into the verbatim texts of its items. Throws when the text is not a list; the items are
 * not validated.
 */
export function splitJsonList(json: string): string[] {
  const text = json.trim()
  if (!LIST.test(text)) throw new SyntaxError('not a JSON list')
  const items: string[] = []
  let start = 1
  let depth = 0
  const end = text.length - 1
  for (let at = 1; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA && depth === 0) {
      items.push(takeItem(text, start, at))
      start = at + 1
    } else if (OPENING.has(code)) depth++
    else if (CLOSING.has(code)) depth--
  }
  if (depth !== 0) throw new SyntaxError('not a JSON list')
  if (items.length > 0 || text.slice(1, end).trim() !== '') items.push(takeItem(text, start, end))
  return items
}

/** Returns the end of the string that begins at a quote. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  throw new SyntaxError('not a JSON list')
}

function takeItem(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (SPACE.has(text.charCodeAt(start))) start++
  while (end > start && SPACE.has(text.charCodeAt(end - 1))) end--
  if (start === end) throw new SyntaxError('not a JSON list')
  return text.slice(start, end)
}
