import type { Row } from '../../api/resources'
import type { RowPlaces } from '../rows/row-places'

/** One row further, or back. */
export type Step = 1 | -1

/** Reads rows of the view by index, and headers of groups among them; fewer at its end. */
export type ReadWindow = (first: number, count: number) => Promise<readonly Row[]>

/** The rows of a view. */
export interface ViewRows {
  readonly read: ReadWindow
  readonly places: Pick<RowPlaces, 'isGroup' | 'nextRow'>
}

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
  { id, index: seen }: PlacedRow,
  step: Step,
  { read, places }: ViewRows,
): Promise<PlacedRow | undefined> {
  const first = Math.max(0, seen - 2)
  const rows = await read(first, 5)
  const at = rows.findIndex((row) => row.id === id)
  const place = at >= 0 ? first + at + step : step === 1 ? seen : seen - 1
  const index = places.isGroup(place) ? places.nextRow(place, step) : place
  if (index === undefined || index < 0) return undefined
  const neighbor = rows[index - first] ?? (await read(index, 1))[0]
  return neighbor && { id: neighbor.id, index }
}
