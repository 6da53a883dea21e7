import type { Row } from '../../api/resources'
import { isGroupRow } from '../groups/group-row'
import type { RowPlaces } from '../rows/row-places'
import type { ReadPage, RowsPage } from '../rows/rows-api'
import { heightOf, type Block } from './cell-range'

/** Rows of a range that can be read and changed at once. */
export const MAX_RANGE_ROWS = 10_000

/** Rows of one request. */
const PAGE_ROWS = 500

/** Where the rows of a range come from. */
export interface RowSource {
  /** Returns the row at an index; undefined unless it is shown there. */
  readonly at: (index: number) => Row | undefined
  readonly readPage: ReadPage
  readonly places: RowPlaces
}

/** Returns the indexes of the rows of a block, without the headers of groups. */
export function rowIndexes({ firstRow, lastRow }: Block, { isGroup }: RowPlaces): number[] {
  const indexes: number[] = []
  for (let index = firstRow; index <= lastRow; index++) if (!isGroup(index)) indexes.push(index)
  return indexes
}

/** Returns the rows of a block that are shown, without the headers of groups; undefined if there is one that is not. */
export function shownRows({ firstRow, lastRow }: Block, at: RowSource['at']): Row[] | undefined {
  const rows: Row[] = []
  for (let index = firstRow; index <= lastRow; index++) {
    const row = at(index)
    if (!row) return undefined
    if (!isGroupRow(row)) rows.push(row)
  }
  return rows
}

/**
 * Reads the rows of a block, without the headers of groups: those that are shown as they are, and otherwise all, page by page.
 * At most MAX_RANGE_ROWS.
 */
export async function readRange(
  block: Block,
  { at, readPage }: Pick<RowSource, 'at' | 'readPage'>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const shown = shownRows(block, at)
  if (shown) return shown
  const lines: Row[] = []
  let cursor: string | null = ''
  const height = heightOf(block)
  while (lines.length < height && cursor !== null) {
    const limit = Math.min(PAGE_ROWS, height - lines.length)
    const offset = cursor === '' ? block.firstRow : 0
    const page: RowsPage = await readPage({ cursor, offset, limit, isCounted: false }, signal)
    lines.push(...page.rows)
    cursor = page.nextCursor
  }
  return lines.filter((line) => !isGroupRow(line))
}
