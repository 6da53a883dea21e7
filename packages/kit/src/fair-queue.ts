/** An item that waits for a user. */
export interface Queued {
  readonly user: string | number
}

/**
 * Items that wait for a resource, taken in turn by user: a user with many items delays another by one item at most.
 * The items of one user are taken in their order. The caller bounds the number of items (see FairShare).
 */
export class FairQueue<T extends Queued> {
  /** The items of each user, the user whose turn is next first. */
  private readonly turns = new Map<string | number, Set<T>>()
  private count = 0

  /** Items that wait. */
  get size(): number {
    return this.count
  }

  /** All items, in the order of their users' turns. */
  get items(): readonly T[] {
    return [...this.turns.values()].flatMap((items) => [...items])
  }

  /** Adds an item behind those of its user. */
  add(item: T): void {
    const items = this.turns.get(item.user)
    if (items) items.add(item)
    else this.turns.set(item.user, new Set([item]))
    this.count++
  }

  /** Removes an item that no longer waits. Returns false when it did not wait. */
  remove(item: T): boolean {
    const items = this.turns.get(item.user)
    if (!items?.delete(item)) return false
    this.count--
    if (items.size === 0) this.turns.delete(item.user)
    return true
  }

  /** Takes the next item that `mayRun`, whose user goes to the end; undefined when there is none. */
  take(mayRun: (item: T) => boolean): T | undefined {
    for (const [user, items] of this.turns)
      for (const item of items) {
        if (!mayRun(item)) continue
        this.remove(item)
        this.turns.delete(user)
        if (items.size > 0) this.turns.set(user, items)
        return item
      }
    return undefined
  }
}
