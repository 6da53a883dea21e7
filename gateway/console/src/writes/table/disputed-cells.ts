import type { Row } from '../../api/resources'
import { isSameValue } from '../../formats/value'
import type { EnteredRow } from './cells-api'
import { takeCells } from './entered-rows'

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
  const known = fieldsOf(stored)
  const { taken, kept } = takeCells(entered, ({ id, fields, before }, colId) => {
    const now = known.get(id)
    return (
      now !== undefined &&
      colId in before &&
      !isSameValue(now[colId], before[colId]) &&
      !isSameValue(now[colId], fields[colId])
    )
  })
  return { disputed: withStored(taken, known), others: withStored(kept, known) }
}

/** Splits the rows of a write that failed: some values may be stored all the same. Returns both parts with what is stored as `before`. */
export function splitStored(
  entered: readonly EnteredRow[],
  rows: readonly Row[],
): { readonly stored: EnteredRow[]; readonly others: EnteredRow[] } {
  const known = fieldsOf(rows)
  const { taken, kept } = takeCells(entered, ({ id, fields }, colId) => {
    const now = known.get(id)
    return now !== undefined && isSameValue(now[colId], fields[colId])
  })
  return { stored: withStored(taken, known), others: withStored(kept, known) }
}

type KnownRows = ReadonlyMap<number, Row['fields']>

const fieldsOf = (rows: readonly Row[]): KnownRows =>
  new Map(rows.map(({ id, fields }) => [id, fields]))

const withStored = (rows: readonly EnteredRow[], known: KnownRows): EnteredRow[] =>
  rows.map((row) => ({ ...row, before: { ...row.before, ...known.get(row.id) } }))
