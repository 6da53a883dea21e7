import type { Row } from '../../api/resources'

/** A cell of the rows found, by the indexes of its row and column. */
export interface Hit {
  readonly row: number
  readonly column: number
}

/** What a search for the next hit reads. */
export interface HitSource {
  readonly rowCount: number
  readonly columnCount: number
  /** Returns the index of the row after another, or before it; undefined beyond the ends. */
  readonly nextRow: (index: number, step: 1 | -1) => number | undefined
  /** Resolves to a row once it is loaded; undefined if that takes too long. */
  readonly load: (index: number) => Promise<Row | undefined>
  /** Whether the cell of a row contains the text. */
  readonly isHit: (row: Row, column: number) => Promise<boolean>
}

/** Rows without a hit that are passed over: each row found has one, unless it has changed since. */
const MAX_ROWS = 20

/**
 * The hit after a cell, or before it, row by row; after the last one follows the first. Undefined if there is none, or rows
 * cannot be loaded. `from` is undefined to begin with the first, or the last.
 */
export async function findHit(
  source: HitSource,
  from: Hit | undefined,
  step: 1 | -1,
): Promise<Hit | undefined> {
  const { rowCount, columnCount, load, isHit } = source
  if (rowCount === 0) return undefined
  const end = step > 0 ? 0 : columnCount - 1
  let row = from ? Math.min(from.row, rowCount - 1) : step > 0 ? 0 : rowCount - 1
  let column = from ? from.column + step : end
  for (let passed = 0; passed <= Math.min(rowCount, MAX_ROWS); passed++) {
    const loaded = await load(row)
    if (!loaded) return undefined
    for (; column >= 0 && column < columnCount; column += step)
      if (await isHit(loaded, column)) return { row, column }
    row = rowAfter(row, step, source)
    column = end
  }
  return undefined
}

function rowAfter(row: number, step: 1 | -1, { rowCount, nextRow }: HitSource): number {
  const next = nextRow(row, step)
  if (next !== undefined && next < rowCount) return next
  return step > 0 ? 0 : rowCount - 1
}
