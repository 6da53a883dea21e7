import { reaches, type Goal } from './statistics'

/** One figure of Sheaf, with the plain server's where there is one. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly sheaf: number
  readonly plain?: number
  readonly goal?: Goal
  /** The results of each round. */
  readonly rounds?: { readonly sheaf: readonly number[]; readonly plain?: readonly number[] }
}

/** The results of a mode, as written to the JSON file. */
export interface Report {
  readonly mode: string
  /** What was measured, in a sentence or two. */
  readonly about: string
  readonly figures: readonly Figure[]
  /** Further tables, with the head first. */
  readonly tables: readonly Table[]
}

/** A table beside the figures. */
export interface Table {
  readonly title: string
  readonly rows: readonly (readonly string[])[]
}

/**
 * Ratio of Sheaf to plain: below 1 is faster for ms, above 1 is faster for rates; undefined without a plain
 * figure.
 */
export function ratioOf({ sheaf, plain }: Figure): number | undefined {
  return plain === undefined ? undefined : sheaf / plain
}

/** Whether a figure reaches its goal; undefined when it has none. */
export function isReached(figure: Figure): boolean | undefined {
  return figure.goal && reaches(figure.goal, figure.sheaf, ratioOf(figure))
}

/** Formats a number with about three significant digits. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '–'
  if (Math.abs(value) >= 100) return value.toFixed(0)
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** Returns the figures as the rows of a table, with its head. */
export function tabulate(figures: readonly Figure[]): string[][] {
  const beside = figures.some(({ plain }) => plain !== undefined)
  const rows = figures.map((figure) => {
    const { name, unit, sheaf, plain } = figure
    const reached = isReached(figure)
    const ratio = ratioOf(figure)
    return [
      name,
      `${formatNumber(sheaf)} ${unit}`,
      ...(beside
        ? [
            plain === undefined ? '' : `${formatNumber(plain)} ${unit}`,
            ratio === undefined ? '' : ratio.toFixed(2),
          ]
        : []),
      figure.goal ? describeGoal(figure.goal, unit) : '',
      reached === undefined ? '' : reached ? 'yes' : 'not yet',
    ]
  })
  const head = ['work', 'Sheaf', ...(beside ? ['plain server', 'ratio'] : []), 'wanted', 'reached']
  return [head, ...rows]
}

function describeGoal({ side, value, aim, ratio }: Goal, unit: string): string {
  const amount = ratio ? `${value} ×` : `${value} ${unit}`.trim()
  const wanted = `${side === 'at most' ? '≤' : '≥'} ${amount}`
  return aim === undefined ? wanted : `${wanted}, aim ${aim}`
}

/** Renders a table in columns. */
export function renderText(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows)
  return rows.map((row) => pad(row, widths).join('  ').trimEnd()).join('\n')
}

/** Renders a table in Markdown, as this repository's formatter does. */
export function renderMarkdown(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows).map((width) => Math.max(width, 3))
  const [head = [], ...body] = rows.map((row) => `| ${pad(row, widths).join(' | ')} |`)
  const line = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [head, line, ...body].join('\n')
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  )
}

function pad(row: readonly string[], widths: readonly number[]): string[] {
  return widths.map((width, column) => {
    const cell = row[column] ?? ''
    return cell + ' '.repeat(width - [...cell].length)
  })
}

/** Renders a whole report as plain text or Markdown. */
export function renderReport(report: Report, form: 'text' | 'markdown'): string {
  const table = form === 'text' ? renderText : renderMarkdown
  const parts = [report.about]
  if (report.figures.length > 0) parts.push(table(tabulate(report.figures)))
  for (const { title, rows } of report.tables) parts.push(`${title}:`, table(rows))
  return parts.join('\n\n')
}

/**
 * Replaces the text between the two comments that mark a section of a Markdown file. Throws when they are
 * missing.
 */
export function replaceSection(file: string, section: string, text: string): string {
  const [begin, end] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`]
  const from = file.indexOf(begin)
  const to = file.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`there is no section ${section}`)
  return `${file.slice(0, from + begin.length)}\n\n${text}\n\n${file.slice(to)}`
}
