/** Returns the median; NaN without values. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/**
 * Returns the value below which `share` (0 to 1) of the values lie, with linear interpolation; NaN without
 * values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const low = sorted[Math.floor(at)] ?? NaN
  const high = sorted[Math.ceil(at)] ?? NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** The goal of a figure: a maximum or minimum in its unit, or relative to the plain server. */
export interface Goal {
  readonly side: 'at most' | 'at least'
  readonly value: number
  /** A better value, which is aimed at. */
  readonly aim?: number
  /** True when `value` is a ratio to the plain server. */
  readonly ratio: boolean
}

/** True when a figure, or its ratio, meets the goal; a missing figure meets none. */
export function reaches(goal: Goal, figure: number, ratio: number | undefined): boolean {
  const compared = goal.ratio ? (ratio ?? NaN) : figure
  return goal.side === 'at most' ? compared <= goal.value : compared >= goal.value
}
