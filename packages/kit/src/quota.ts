/** What is exhausted: the whole quota, or one owner's share of it. */
export type Full = 'whole' | 'share'

/**
 * A bounded amount of a resource that many owners share, such as places in a queue or bytes of memory. One owner may hold
 * at most a share of it, half by default, so that a busy one leaves room for the others. An owner that holds nothing may
 * take one item larger than the share, and one item larger than the whole quota is admitted when nothing is held: otherwise it never would be.
 */
export class Quota {
  private total = 0
  private readonly held = new Map<string, number>()

  /**
   * @param most the amount that all owners together may hold
   * @param share the amount that one owner may hold
   */
  constructor(
    private readonly most: number,
    private readonly share = Math.ceil(most / 2),
  ) {}

  /** The amount that all owners hold together. */
  get used(): number {
    return this.total
  }

  /** The amount that one owner holds. */
  heldBy(owner: string): number {
    return this.held.get(owner) ?? 0
  }

  /**
   * Returns what would be exceeded if an owner took this amount; undefined when there is room.
   * @param before amount that the same item holds already, when it arrives in parts
   */
  check(owner: string, amount: number, before = 0): Full | undefined {
    const held = this.heldBy(owner)
    if (held > before && held + amount > this.share) return 'share'
    return this.total > before && this.total + amount > this.most ? 'whole' : undefined
  }

  /** Records an amount as taken, without checking for room (see `check`). Release it with `give`. */
  take(owner: string, amount: number): void {
    this.total += amount
    this.held.set(owner, this.heldBy(owner) + amount)
  }

  /** Releases an amount. */
  give(owner: string, amount: number): void {
    this.total -= amount
    const left = this.heldBy(owner) - amount
    if (left > 0) this.held.set(owner, left)
    else this.held.delete(owner)
  }
}
