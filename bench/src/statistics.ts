/** The middle one, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value below which `share` (0 to 1) of the values lie, between neighbours by proportion; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const low = sorted[Math.floor(at)] ?? NaN
  const high = sorted[Math.ceil(at)] ?? NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** What a figure has to be: at most, or at least, so many of its unit, or so many times the plain server's. */
export interface Goal {
  readonly side: 'at most' | 'at least'
  readonly value: number
  /** True when `value` is a ratio to the plain server. */
  readonly ratio: boolean
}

/** Whether a figure, or its ratio, is what the goal wants; a figure that could not be taken reaches nothing. */
export function reaches(goal: Goal, figure: number, ratio: number | undefined): boolean {
  const compared = goal.ratio ? (ratio ?? NaN) : figure
  return goal.side === 'at most' ? compared <= goal.value : compared >= goal.value
}
