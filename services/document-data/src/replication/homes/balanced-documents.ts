/** Documents in use that are handed over at a time because of load: each of them is unavailable for a moment. */
const MAX_BUSY = 5

/** So many of the documents, those with the fewest recent calls. */
export function pickLeastUsed(
  count: number,
  docIds: readonly string[],
  callsOf: (docId: string) => number,
): string[] {
  return [...docIds].sort((one, other) => callsOf(one) - callsOf(other)).slice(0, count)
}

/**
 * Documents that together have no more than a share of all recent calls, the busiest first. A document with more calls than
 * that stays: it would be as much of a load elsewhere.
 */
export function pickBusy(share: number, calls: ReadonlyMap<string, number>): string[] {
  let left = share * [...calls.values()].reduce((sum, count) => sum + count, 0)
  const picked: string[] = []
  for (const [docId, count] of [...calls].sort(([, one], [, other]) => other - one)) {
    if (picked.length === MAX_BUSY) break
    if (count === 0 || count > left) continue
    picked.push(docId)
    left -= count
  }
  return picked
}
