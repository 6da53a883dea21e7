import type { CellChanges } from './recent-changes'
import type { Row } from '../../api/row'
import { cellsAt, withCells } from './row-blocks'

/** Rows that are read at each place. */
export const GLIMPSE_ROWS = 50

/** A row, and where it stands. */
export interface Glimpse {
  readonly index: number
  readonly row: Row
}

/**
 * A few rows from places all over the table. They are what one sees of it while the bar is dragged faster than rows can be
 * read, each with its own number.
 */
export class RowGlimpses {
  /** In ascending order of places. */
  private places: { readonly position: number; readonly rows: Row[] }[] = []

  /** Remembers rows of a place behind all others. */
  add(position: number, rows: readonly Row[]): void {
    if (rows.length > 0) this.places.push({ position, rows: [...rows] })
  }

  /** A row of the closest place before an index; rows side by side get rows side by side. */
  near(index: number): Glimpse | undefined {
    const place = this.places.findLast(({ position }) => position <= index)
    if (!place) return undefined
    const { position, rows } = place
    const offset = index % rows.length
    const row = rows[offset]
    return row && { index: position + offset, row }
  }

  /** Changes cells of the rows. */
  apply({ rowIds, columns }: CellChanges): void {
    const changed = new Map(rowIds.map((id, place) => [id, place]))
    for (const { rows } of this.places)
      rows.forEach((row, offset) => {
        const place = changed.get(row.id)
        if (place !== undefined) rows[offset] = withCells(row, cellsAt(columns, place))
      })
  }

  /** Forgets all of them: rows were added or removed, or stand elsewhere. */
  clear(): void {
    this.places = []
  }
}
