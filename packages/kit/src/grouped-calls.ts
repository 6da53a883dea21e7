import { AppError, toAppError } from './errors'

/** Largest number of calls in one group, and of those that wait for the next ones of the same key. */
const MAX_GROUP = 100
const MAX_WAITING = 500

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs calls together that arrive while an earlier group of the same key runs, so that they share what a group costs:
 * a transaction, for example. The first call runs at once, alone. When a group fails, each of its calls is run alone,
 * so a call fails for its own reasons only; unless what they need is unavailable, which fails all of them.
 */
export class GroupedCalls<Key, Item, Result> {
  /** What waits for the running group of each key. */
  private readonly lanes = new Map<Key, Waiting<Item, Result>[]>()

  /** @param run runs a group, and resolves to the results in the order of the items; a group that fails has no effect */
  constructor(private readonly run: (key: Key, items: readonly Item[]) => Promise<Result[]>) {}

  /** Resolves to the result of the item. Throws what `run` throws for it, and `unavailable` when too many wait. */
  call(key: Key, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const call = { item, resolve, reject }
      const waiting = this.lanes.get(key)
      if (!waiting) void this.work(key, call)
      else if (waiting.length < MAX_WAITING) waiting.push(call)
      else reject(tooManyWait())
    })
  }

  private async work(key: Key, first: Waiting<Item, Result>): Promise<void> {
    const waiting: Waiting<Item, Result>[] = []
    this.lanes.set(key, waiting)
    for (let group = [first]; group.length > 0; group = waiting.splice(0, MAX_GROUP))
      await this.settle(key, group)
    this.lanes.delete(key)
  }

  private async settle(key: Key, group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(
        key,
        group.map(({ item }) => item),
      )
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1 || toAppError(error)?.code === 'unavailable')
        for (const { reject } of group) reject(error)
      else for (const call of group) await this.settle(key, [call])
    }
  }
}

function tooManyWait(): AppError {
  return new AppError('unavailable', 'SERVICE_BUSY', 'server busy, retry later', {
    retryAfterMs: '1000',
  })
}
