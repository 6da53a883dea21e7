import type { Row } from '../api/resources'

/** A card that was moved to another lane, and is not yet among the rows that were read for it. */
export interface MovedCard {
  /** With the value of the lane. */
  readonly row: Row
  /** The key of the lane. */
  readonly to: string
  /** True once the value is stored, or was refused. */
  readonly isDone: boolean
}

/** Cards moved at most at the same time. Beyond, the oldest are shown where they were read. */
const MAX_MOVED = 200

/**
 * The cards that were moved on a board, until the rows of their lanes are read again. Each is shown in its new lane, and not in the
 * one before.
 */
export class MovedCards {
  private cards: ReadonlyMap<number, MovedCard> = new Map()
  private readonly listeners = new Set<() => void>()

  /** The cards by row id. With `watch`, the arguments of `useSyncExternalStore`. */
  readonly read = (): ReadonlyMap<number, MovedCard> => this.cards

  /** Calls back when the cards change. Returns a function that unsubscribes. */
  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Shows a row in another lane. Returns the card. */
  add(row: Row, to: string): MovedCard {
    const card: MovedCard = { row, to, isDone: false }
    const others = [...this.cards].filter(([id]) => id !== row.id)
    this.set([...others.slice(1 - MAX_MOVED), [row.id, card]])
    return card
  }

  /** Ends the move of a card, unless it was moved again. It is still shown until it is removed. */
  finish(card: MovedCard): void {
    if (this.cards.get(card.row.id) !== card) return
    this.set(
      [...this.cards].map(([id, one]) => [id, one === card ? { ...one, isDone: true } : one]),
    )
  }

  /** Shows rows where they were read, unless they were moved again in the meantime. */
  remove(cards: readonly MovedCard[]): void {
    if (cards.length > 0) this.set([...this.cards].filter(([, card]) => !cards.includes(card)))
  }

  private set(cards: readonly (readonly [number, MovedCard])[]): void {
    this.cards = new Map(cards)
    for (const listener of this.listeners) listener()
  }
}
