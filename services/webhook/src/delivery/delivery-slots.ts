/** The two kinds of webhooks, separated so that failing ones do not take slots of working ones. */
export type Lane = 'working' | 'failing'

interface SlotLimits {
  /** Maximum number of webhooks delivered for concurrently. */
  readonly all: number
  /** Maximum number of these for one host. */
  readonly perTarget: number
}

const slotLimits: Readonly<Record<Lane, SlotLimits>> = {
  working: { all: 192, perTarget: 32 },
  failing: { all: 64, perTarget: 8 },
}

/**
 * Limits the webhooks that one process delivers for concurrently: in total and for each host, separately for
 * each lane.
 */
export class DeliverySlots {
  private readonly taken: Record<Lane, Map<string, number>> = {
    working: new Map(),
    failing: new Map(),
  }

  /** Takes a slot. */
  acquire(lane: Lane, target: string): void {
    this.taken[lane].set(target, (this.taken[lane].get(target) ?? 0) + 1)
  }

  /** Returns a slot. */
  release(lane: Lane, target: string): void {
    const left = (this.taken[lane].get(target) ?? 0) - 1
    if (left > 0) this.taken[lane].set(target, left)
    else this.taken[lane].delete(target)
  }

  /** Returns the free slots: in total, for one host, and for hosts with slots in use. */
  available(lane: Lane): { limit: number; perTarget: number; left: ReadonlyMap<string, number> } {
    const { all, perTarget } = slotLimits[lane]
    const taken = [...this.taken[lane]]
    const limit = all - taken.reduce((sum, [, count]) => sum + count, 0)
    return {
      limit,
      perTarget,
      left: new Map(taken.map(([key, count]) => [key, perTarget - count])),
    }
  }

  /** True when a due webhook may have found no slot. */
  isExhausted(lane: Lane): boolean {
    const { limit, left } = this.available(lane)
    return limit <= 0 || [...left.values()].some((places) => places <= 0)
  }
}
