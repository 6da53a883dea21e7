/** Counts of a histogram by the upper bounds of its buckets, cumulative. */
export type Buckets = ReadonlyMap<number, number>

/** Quantiles in the unit of the histogram. */
export type Percentiles = Readonly<Record<'p50' | 'p90' | 'p99', number>>

/** Reads one histogram. */
export interface HistogramReader {
  read(): Promise<Buckets>
  /** The quantiles of the values that were added between two reads. */
  percentilesSince(before: Buckets, after: Buckets): Percentiles
}

/** Reads one histogram of the metrics that a process serves to Prometheus. */
export function createHistogramReader(url: string, name: string): HistogramReader {
  const line = new RegExp(`^${name}_bucket\\{.*?le="([^"]+)".*?\\} (\\S+)`)
  return {
    async read(): Promise<Buckets> {
      const text = await (await fetch(url)).text()
      const buckets = new Map<number, number>()
      for (const each of text.split('\n')) {
        const [, bound = '', count = ''] = line.exec(each) ?? []
        if (bound === '') continue
        const le = bound === '+Inf' ? Infinity : Number(bound)
        buckets.set(le, (buckets.get(le) ?? 0) + Number(count))
      }
      return buckets
    },
    percentilesSince(before: Buckets, after: Buckets): Percentiles {
      const counts = [...after]
        .map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)] as const)
        .sort(([a], [b]) => a - b)
      return {
        p50: quantileOf(counts, 0.5),
        p90: quantileOf(counts, 0.9),
        p99: quantileOf(counts, 0.99),
      }
    },
  }
}

/**
 * Returns the value below which `share` of the values lie, interpolated within its bucket; NaN without values.
 * @param counts cumulative counts by upper bound, in order
 */
export function quantileOf(counts: readonly (readonly [number, number])[], share: number): number {
  const total = counts.at(-1)?.[1] ?? 0
  const wanted = total * share
  const at = counts.findIndex(([, count]) => count >= wanted)
  const [bound, count] = counts[at] ?? [NaN, NaN]
  const [lower, below] = counts[at - 1] ?? [0, 0]
  if (total === 0) return NaN
  return bound === Infinity ? lower : lower + (bound - lower) * ((wanted - below) / (count - below))
}
