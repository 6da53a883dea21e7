import type { Row } from '../../api/resources'
import type { PageRequest, RowsPage } from '../rows/rows-api'
import { heightOf, type Block } from './cell-range'

/** Rows of a range that can be read and changed at once. */
export const MAX_RANGE_ROWS = 10_000

/** Rows of one request. */
const PAGE_ROWS = 500

/** Where the rows of a range come from. */
export interface RowSource {
  /** Returns the row at an index; undefined unless it is shown there. */
  readonly at: (index: number) => Row | undefined
  readonly readPage: (request: PageRequest, signal: AbortSignal) => Promise<RowsPage>
}

/** Returns the rows of a block that are shown; undefined if there is one that is not. */
export function shownRows({ firstRow, lastRow }: Block, at: RowSource['at']): Row[] | undefined {
  const rows: Row[] = []
  for (let index = firstRow; index <= lastRow; index++) {
    const row = at(index)
    if (!row) return undefined
    rows.push(row)
  }
  return rows
}

/** Reads the rows of a block: those that are shown as they are, and otherwise all, page by page. At most MAX_RANGE_ROWS. */
export async function readRange(
  block: Block,
  { at, readPage }: RowSource,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const shown = shownRows(block, at)
  if (shown) return shown
  const rows: Row[] = []
  let cursor: string | null = ''
  const height = heightOf(block)
  while (rows.length < height && cursor !== null) {
    const limit = Math.min(PAGE_ROWS, height - rows.length)
    const offset = cursor === '' ? block.firstRow : 0
    const page: RowsPage = await readPage({ cursor, offset, limit, isCounted: false }, signal)
    rows.push(...page.rows)
    cursor = page.nextCursor
  }
  return rows
}
