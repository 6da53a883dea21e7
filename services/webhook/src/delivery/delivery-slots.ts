/** The two kinds of webhooks, so that those that fail take nothing from those that work. */
export type Lane = 'working' | 'failing'

interface Room {
  /** Webhooks that are delivered for at once … */
  readonly all: number
  /** … and of these to one host. */
  readonly perTarget: number
}

const rooms: Readonly<Record<Lane, Room>> = {
  working: { all: 192, perTarget: 32 },
  failing: { all: 64, perTarget: 8 },
}

/** How many webhooks one process delivers for at once: so many in all, and so many to one host, apart for each lane. */
export class Places {
  private readonly taken: Record<Lane, Map<string, number>> = {
    working: new Map(),
    failing: new Map(),
  }

  /** Takes a place. */
  take(lane: Lane, target: string): void {
    this.taken[lane].set(target, (this.taken[lane].get(target) ?? 0) + 1)
  }

  /** Gives a place back. */
  leave(lane: Lane, target: string): void {
    const left = (this.taken[lane].get(target) ?? 0) - 1
    if (left > 0) this.taken[lane].set(target, left)
    else this.taken[lane].delete(target)
  }

  /** What may be taken now: in all, for one host, and for hosts of which some is taken. */
  free(lane: Lane): { limit: number; perTarget: number; left: ReadonlyMap<string, number> } {
    const { all, perTarget } = rooms[lane]
    const taken = [...this.taken[lane]]
    const limit = all - taken.reduce((sum, [, count]) => sum + count, 0)
    return {
      limit,
      perTarget,
      left: new Map(taken.map(([key, count]) => [key, perTarget - count])),
    }
  }

  /** True when something that is due may have found no place. */
  isTight(lane: Lane): boolean {
    const { limit, left } = this.free(lane)
    return limit <= 0 || [...left.values()].some((places) => places <= 0)
  }
}
