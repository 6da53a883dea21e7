/** A cell as it stands in text between tabs; what would end it stands in quotes. */
export function toTsvCell(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Lines of cells as spreadsheets put them onto the clipboard: tabs between them, quotes around those with line breaks. */
export function readTsv(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  let at = 0
  while (at <= text.length) {
    const { cell, end } = readCell(text, at)
    line.push(cell)
    at = end + 1
    if (text[end] === '\t') continue
    lines.push(line)
    line = []
    if (text[end] === '\r' && text[at] === '\n') at++
    // A last line break ends the last line, and begins no other.
    if (at >= text.length) break
  }
  return lines
}

function readCell(text: string, start: number): { cell: string; end: number } {
  const quoted = text[start] === '"' ? readQuoted(text, start) : undefined
  if (quoted) return quoted
  let end = start
  while (end < text.length && !isEnd(text[end])) end++
  return { cell: text.slice(start, end), end }
}

/** Undefined for text that only begins with a quote. */
function readQuoted(text: string, start: number): { cell: string; end: number } | undefined {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  if (at < 0 || (at + 1 < text.length && !isEnd(text[at + 1]))) return undefined
  return { cell: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 }
}

function isEnd(character: string | undefined): boolean {
  return character === '\t' || character === '\n' || character === '\r'
}
