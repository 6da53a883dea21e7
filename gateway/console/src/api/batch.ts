/** How long keys are collected, and how many are asked for at once. */
const COLLECT_MS = 20
const MAX_KEYS = 500

/** Asks for many at once what is asked for one by one. */
export interface Batch<Found> {
  /** What is found for a key; undefined where there is nothing. Rejects as the asking does. */
  readonly load: (key: number) => Promise<Found | undefined>
}

interface Waiting<Found> {
  readonly key: number
  readonly resolve: (found: Found | undefined) => void
  readonly reject: (error: unknown) => void
}

/** A batch that asks by this function. */
export function createBatch<Found>(
  ask: (keys: readonly number[]) => Promise<ReadonlyMap<number, Found>>,
): Batch<Found> {
  let waiting: Waiting<Found>[] = []
  const answer = async (asked: readonly Waiting<Found>[]): Promise<void> => {
    try {
      const found = await ask([...new Set(asked.map(({ key }) => key))])
      for (const { key, resolve } of asked) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
  const flush = () => {
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += MAX_KEYS)
      void answer(all.slice(start, start + MAX_KEYS))
  }
  return {
    load: (key) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setTimeout(flush, COLLECT_MS)
        waiting.push({ key, resolve, reject })
      }),
  }
}

const MAX_BATCHES = 100
const batches = new Map<string, Batch<unknown>>()

/** Returns the batch registered under a key, and creates it if there is none. */
export function sharedBatch<Found>(key: string, create: () => Batch<Found>): Batch<Found> {
  const known = batches.get(key) as Batch<Found> | undefined
  if (known) return known
  if (batches.size >= MAX_BATCHES) batches.clear()
  const created = create()
  batches.set(key, created)
  return created
}
