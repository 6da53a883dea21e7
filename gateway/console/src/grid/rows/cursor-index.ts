/** Beyond this number, every second position is dropped. */
const MAX_POSITIONS = 4_096

/** Start of a page: a number of rows after a cursor. */
export interface PageStart {
  readonly cursor: string
  readonly offset: number
}

/**
 * Known cursors by position, that is the number of rows before each. With them, a page is found by key instead
 * of by a long offset.
 */
export class CursorIndex {
  /** In ascending order. */
  private positions: number[] = [0]
  private readonly cursors = new Map<number, string>([[0, '']])

  /** Adds a cursor at a position. */
  add(position: number, cursor: string): void {
    if (!this.cursors.has(position)) this.positions.splice(this.rank(position), 0, position)
    this.cursors.set(position, cursor)
    if (this.positions.length > MAX_POSITIONS) this.thin()
  }

  /** Returns the closest known cursor before a position, and the offset from there. */
  nearest(position: number): PageStart {
    const known = this.positions[this.rank(position + 1) - 1] ?? 0
    return { cursor: this.cursors.get(known) ?? '', offset: position - known }
  }

  /** Removes all cursors but the start, after rows were added or removed. */
  clear(): void {
    this.positions = [0]
    this.cursors.clear()
    this.cursors.set(0, '')
  }

  /** Returns the number of known positions below this one. */
  private rank(position: number): number {
    let low = 0
    let high = this.positions.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.positions[middle] ?? 0) < position) low = middle + 1
      else high = middle
    }
    return low
  }

  private thin(): void {
    const dropped = this.positions.filter((_, index) => index % 2 === 1)
    for (const position of dropped) this.cursors.delete(position)
    this.positions = this.positions.filter((_, index) => index % 2 === 0)
  }
}
