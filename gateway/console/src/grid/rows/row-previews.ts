import type { Row } from '../../api/resources'
import type { CellChanges } from './recent-changes'
import { cellsAt, withCells } from './row-blocks'

/** Rows read at each sampled position. */
export const PREVIEW_ROWS = 50

/** A row with its index. */
export interface RowPreview {
  readonly index: number
  readonly row: Row
}

/**
 * Sample rows from positions spread over the table. They are shown, each with its own row number, while the
 * scroll bar is dragged faster than rows can be loaded.
 */
export class RowPreviews {
  /** By ascending position. */
  private samples: { readonly position: number; readonly rows: Row[] }[] = []

  /** Adds rows at a position after all others. */
  add(position: number, rows: readonly Row[]): void {
    if (rows.length > 0) this.samples.push({ position, rows: [...rows] })
  }

  /** Returns a row of the closest sample before an index. Adjacent indexes get adjacent rows. */
  near(index: number): RowPreview | undefined {
    const sample = this.samples.findLast(({ position }) => position <= index)
    if (!sample) return undefined
    const { position, rows } = sample
    const offset = index % rows.length
    const row = rows[offset]
    return row && { index: position + offset, row }
  }

  /** Applies a change to the sample rows. */
  apply({ rowIds, columns }: CellChanges): void {
    const changed = new Map(rowIds.map((id, index) => [id, index]))
    for (const { rows } of this.samples)
      rows.forEach((row, offset) => {
        const index = changed.get(row.id)
        if (index !== undefined) rows[offset] = withCells(row, cellsAt(columns, index))
      })
  }

  /** Removes all samples, after rows were added, removed or moved. */
  clear(): void {
    this.samples = []
  }
}
