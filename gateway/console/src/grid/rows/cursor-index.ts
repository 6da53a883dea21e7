/** More places are thinned out: every second one is dropped. */
const MOST = 4_096

/** Where a page begins: after a cursor, and then so many rows later. */
export interface PageStart {
  readonly cursor: string
  readonly offset: number
}

/** The cursors that are known, by how many rows lie before each; so that a page is found by a key and not by counting rows. */
export class CursorIndex {
  /** In ascending order. */
  private positions: number[] = [0]
  private readonly cursors = new Map<number, string>([[0, '']])

  /** Remembers that so many rows lie before the cursor. */
  note(position: number, cursor: string): void {
    if (!this.cursors.has(position)) this.positions.splice(this.placeOf(position), 0, position)
    this.cursors.set(position, cursor)
    if (this.positions.length > MOST) this.thin()
  }

  /** The closest known cursor before a position, and how many rows follow it up to there. */
  nearest(position: number): PageStart {
    const known = this.positions[this.placeOf(position + 1) - 1] ?? 0
    return { cursor: this.cursors.get(known) ?? '', offset: position - known }
  }

  /** Forgets everything but the beginning: rows before the cursors were added or removed. */
  clear(): void {
    this.positions = [0]
    this.cursors.clear()
    this.cursors.set(0, '')
  }

  /** How many known positions are smaller. */
  private placeOf(position: number): number {
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
    const dropped = this.positions.filter((_, place) => place % 2 === 1)
    for (const position of dropped) this.cursors.delete(position)
    this.positions = this.positions.filter((_, place) => place % 2 === 0)
  }
}
