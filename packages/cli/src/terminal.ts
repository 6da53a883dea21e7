/** The output of a command; replaced in tests. */
export interface Terminal {
  /** Results: one line, or several. */
  out(text: string): void
  /** Output for people only: hints and failures. */
  err(text: string): void
  /** Stream of progress bars; absent without a terminal. */
  readonly progress?: NodeJS.WriteStream
}

/** Formats rows as aligned columns with headings. */
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
