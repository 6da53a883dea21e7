import type { Row } from '../../api/resources'

/** One row further, or back. */
export type Step = 1 | -1

/** Reads rows of the view by index; fewer at its end. */
export type ReadWindow = (first: number, count: number) => Promise<readonly Row[]>

/** A row and its index in the view. */
export interface PlacedRow {
  readonly id: number
  readonly index: number
}

/**
 * Finds the row before or after another, which was last seen at an index. It may have moved by one since, or be no longer in the
 * view: then its neighbors are those that have met there. Resolves to undefined at the ends of the view.
 */
export async function findNeighbor(
  { id, index }: PlacedRow,
  step: Step,
  read: ReadWindow,
): Promise<PlacedRow | undefined> {
  const first = Math.max(0, index - 2)
  const rows = await read(first, 5)
  const at = rows.findIndex((row) => row.id === id)
  const place = at >= 0 ? first + at + step : step === 1 ? index : index - 1
  const neighbor = rows[place - first]
  return neighbor && place >= 0 ? { id: neighbor.id, index: place } : undefined
}
