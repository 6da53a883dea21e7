/** Keys are collected for this long, and at most this many are requested at once. */
const COLLECT_MS = 20
const MAX_KEYS = 500

/** Combines requests for single keys into one request. */
export interface Batch<Found> {
  /** Resolves to the value of a key; undefined if there is none. Rejects if the request fails. */
  readonly load: (key: number) => Promise<Found | undefined>
}

interface Waiting<Found> {
  readonly key: number
  readonly resolve: (found: Found | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Creates a batch that requests keys with the given function. */
export function createBatch<Found>(
  fetchAll: (keys: readonly number[]) => Promise<ReadonlyMap<number, Found>>,
): Batch<Found> {
  let waiting: Waiting<Found>[] = []
  const request = async (items: readonly Waiting<Found>[]): Promise<void> => {
    try {
      const found = await fetchAll([...new Set(items.map(({ key }) => key))])
      for (const { key, resolve } of items) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of items) reject(error)
    }
  }
  const flush = () => {
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += MAX_KEYS)
      void request(all.slice(start, start + MAX_KEYS))
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
