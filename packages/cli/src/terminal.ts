/** Where a command writes to; a test brings its own. */
export interface Terminal {
  /** Results: one line, or several. */
  out(text: string): void
  /** What is for people only: hints and failures. */
  err(text: string): void
  /** Progress bars go here; absent when nobody is watching. */
  readonly progress?: NodeJS.WriteStream
}

/** Rows as aligned columns under their headings. */
export function formatTable(headings: readonly string[], rows: readonly string[][]): string {
  const lines = [headings, ...rows]
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  )
  return lines
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}
