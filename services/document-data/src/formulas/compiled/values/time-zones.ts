import type { ZonePeriod } from '../../../evaluator/packed-zone'
import { timeZonePeriods } from '../../../evaluator/time-zone-files'

/** A time zone, by the rules that formulas in Python have. */
export class TimeZone {
  /** The seconds since the epoch at which all periods but the first begin, … */
  private readonly starts: readonly number[]
  /** … and the local times from which on these count, of which one that is repeated means the first. */
  private readonly localStarts: readonly number[]

  constructor(
    readonly name: string,
    private readonly periods: readonly ZonePeriod[],
  ) {
    this.starts = periods.slice(1).map(({ start }) => start)
    this.localStarts = this.starts.map(
      (start, i) => start + Math.max(periods[i]?.offset ?? 0, periods[i + 1]?.offset ?? 0),
    )
  }

  /** Seconds east of UTC at a time, given in seconds since the epoch. */
  offsetAt(seconds: number): number {
    return this.periods[countUpTo(this.starts, seconds)]?.offset ?? 0
  }

  /**
   * Seconds east of UTC at a local time, given as if it were one of UTC. One that is skipped is taken to be before the
   * change, as in Python.
   */
  offsetOfLocal(seconds: number): number {
    return this.periods[countUpTo(this.localStarts, seconds)]?.offset ?? 0
  }
}

/** How many of the ascending numbers are not greater than a limit. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let [from, to] = [0, numbers.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((numbers[middle] ?? 0) <= limit) from = middle + 1
    else to = middle
  }
  return from
}

let periodsByName: ReadonlyMap<string, readonly ZonePeriod[]> | undefined
const zones = new Map<string, TimeZone>()

/** The time zone of a name. */
export function findZone(name: string): TimeZone | undefined {
  const known = zones.get(name)
  if (known) return known
  periodsByName ??= timeZonePeriods()
  const periods = periodsByName.get(name)
  if (!periods) return undefined
  const made = new TimeZone(name, periods)
  zones.set(name, made)
  return made
}
