import type { Row } from '../api/resources'
import { isSameValue } from '../formats/value'
import type { EnteredRow } from './cells-api'

/** The rows of a write, split by what somebody else has changed. */
interface SplitRows {
  readonly disputed: EnteredRow[]
  readonly others: EnteredRow[]
}

/**
 * Splits the rows of a write that was refused: cells whose stored value is neither that from before nor the entered one are disputed.
 * Returns both parts with what is stored as `before`.
 */
export function splitDisputed(entered: readonly EnteredRow[], stored: readonly Row[]): SplitRows {
  const known = new Map(stored.map(({ id, fields }) => [id, fields]))
  const disputed: EnteredRow[] = []
  const others: EnteredRow[] = []
  for (const row of entered) {
    const now = known.get(row.id)
    const isDisputed = ([colId, mine]: readonly [string, unknown]) =>
      now !== undefined &&
      colId in row.before &&
      !isSameValue(now[colId], row.before[colId]) &&
      !isSameValue(now[colId], mine)
    const cells = Object.entries(row.fields)
    const before = { ...row.before, ...now }
    for (const [part, isPart] of [
      [disputed, true],
      [others, false],
    ] as const) {
      const own = cells.filter((cell) => isDisputed(cell) === isPart)
      if (own.length > 0) part.push({ ...row, fields: Object.fromEntries(own), before })
    }
  }
  return { disputed, others }
}
