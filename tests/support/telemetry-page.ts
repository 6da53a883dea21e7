import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A row of a table of docs/telemetry.md, without its last column, which is a description. */
type Row = readonly string[]

/** The tables of docs/telemetry.md, by heading. */
export function readTelemetryPage(): ReadonlyMap<string, readonly Row[]> {
  const text = readFileSync(join(__dirname, '../../docs/telemetry.md'), 'utf8')
  const sections = text.split(/^## /m).map((section): [string, Row[]] => {
    const [heading = ''] = section.split('\n', 1)
    const rows = [...section.matchAll(/^\| `.*$/gm)].map(([line]) => {
      const cells = line.split(' | ').map((cell) => cell.replaceAll(/^\| |`/g, '').trim())
      return cells.slice(0, -1)
    })
    return [heading, rows]
  })
  return new Map(sections)
}

/** The first column of a table. */
export function namesIn(heading: string): readonly string[] {
  const rows = readTelemetryPage().get(heading)
  if (!rows) throw new Error(`docs/telemetry.md has no section ${heading}`)
  return rows.map(([name = '']) => name)
}
