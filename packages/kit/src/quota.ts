/** What has no room left: the whole, or one owner's share of it. */
export type Full = 'whole' | 'share'

/**
 * A bounded amount of something that many owners use, such as places in a queue or bytes of memory. One owner may hold a
 * half of it at most, so that a busy one leaves something to all others. Who holds nothing is let in with one thing even
 * if that is larger than the share, and one thing is let in even if it is larger than the whole: else it never would be.
 */
export class Quota {
  private total = 0
  private readonly held = new Map<string, number>()
  private readonly share: number

  /** @param most the amount that all owners together may hold */
  constructor(private readonly most: number) {
    this.share = Math.ceil(most / 2)
  }

  /** What all owners hold together. */
  get used(): number {
    return this.total
  }

  /** What one owner holds. */
  heldBy(owner: string): number {
    return this.held.get(owner) ?? 0
  }

  /**
   * What an owner would find full if it took this amount; undefined when there is room.
   * @param before what the same thing holds already, when it comes in parts
   */
  check(owner: string, amount: number, before = 0): Full | undefined {
    const held = this.heldBy(owner)
    if (held > before && held + amount > this.share) return 'share'
    return this.total > before && this.total + amount > this.most ? 'whole' : undefined
  }

  /** Notes an amount as taken; whether there is room is for `check` to say. To be given back by `give`. */
  take(owner: string, amount: number): void {
    this.total += amount
    this.held.set(owner, this.heldBy(owner) + amount)
  }

  /** Gives an amount back. */
  give(owner: string, amount: number): void {
    this.total -= amount
    const left = this.heldBy(owner) - amount
    if (left > 0) this.held.set(owner, left)
    else this.held.delete(owner)
  }
}
