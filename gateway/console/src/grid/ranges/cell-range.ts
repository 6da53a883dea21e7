/** A cell of a grid: the index of its row in the view, and of its column among those shown. */
export interface Place {
  readonly row: number
  readonly column: number
}

/** A rectangle of cells, from the one where it began to the one that was moved last. */
export interface CellRange {
  readonly anchor: Place
  readonly head: Place
}

/** The rows and columns of a range, with the last ones. */
export interface Block {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** Numbers of rows and columns of a grid. */
export interface GridSize {
  readonly rows: number
  readonly columns: number
}

/** Returns the rows and columns of a range. */
export const blockOf = ({ anchor, head }: CellRange): Block => ({
  firstRow: Math.min(anchor.row, head.row),
  lastRow: Math.max(anchor.row, head.row),
  firstColumn: Math.min(anchor.column, head.column),
  lastColumn: Math.max(anchor.column, head.column),
})

/** Returns the number of rows of a block. */
export const heightOf = ({ firstRow, lastRow }: Block): number => lastRow - firstRow + 1

/** Returns the number of columns of a block. */
export const widthOf = ({ firstColumn, lastColumn }: Block): number => lastColumn - firstColumn + 1

/** Returns the number of cells of a block. */
export const cellCount = (block: Block): number => heightOf(block) * widthOf(block)

/** Returns true if a cell is in a block. */
export const contains = (block: Block, { row, column }: Place): boolean =>
  row >= block.firstRow &&
  row <= block.lastRow &&
  column >= block.firstColumn &&
  column <= block.lastColumn

/** Returns the range of all cells; undefined if there are none. */
export const wholeGrid = ({ rows, columns }: GridSize): CellRange | undefined =>
  rows === 0 || columns === 0
    ? undefined
    : { anchor: { row: 0, column: 0 }, head: { row: rows - 1, column: columns - 1 } }

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/**
 * Returns a range after a key with Shift; undefined for other keys. An arrow key moves its end by one cell or, with Ctrl, to the edge of
 * the grid; Home and End move it to the first and last cell of the row or, with Ctrl, of the grid.
 */
export function extend(
  { anchor, head }: CellRange,
  { key, toEdge }: { readonly key: string; readonly toEdge: boolean },
  { rows, columns }: GridSize,
): CellRange | undefined {
  if (key === 'Home' || key === 'End') {
    const last = key === 'Home' ? { row: 0, column: 0 } : { row: rows - 1, column: columns - 1 }
    return { anchor, head: toEdge ? last : { row: head.row, column: last.column } }
  }
  const step = steps[key]
  if (!step) return undefined
  const move = (from: number, by: number, count: number) =>
    Math.max(0, Math.min(count - 1, toEdge && by !== 0 ? by * count : from + by))
  return {
    anchor,
    head: { row: move(head.row, step[0], rows), column: move(head.column, step[1], columns) },
  }
}
