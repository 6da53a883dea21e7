/** Encodes a cell as TSV. Cells with tabs, line breaks or quotes are quoted. */
export function toTsvCell(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Parses TSV as spreadsheets copy it to the clipboard: cells with line breaks are quoted. */
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
    // A trailing line break does not start another line.
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

/** Returns undefined for an unquoted cell that starts with a quote. */
function readQuoted(text: string, start: number): { cell: string; end: number } | undefined {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  if (at < 0 || (at + 1 < text.length && !isEnd(text[at + 1]))) return undefined
  return { cell: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 }
}

function isEnd(character: string | undefined): boolean {
  return character === '\t' || character === '\n' || character === '\r'
}
