/** Longest delay of a timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** One timer for the deadlines of many calls, which is cheaper than a timer for each. */
export class Deadlines {
  private timer?: NodeJS.Timeout
  private at = Infinity

  /** @param expire ends the calls due at `now` (epoch milliseconds) and returns the earliest remaining deadline */
  constructor(private readonly expire: (now: number) => number) {}

  /** Schedules the check of a deadline, epoch milliseconds. */
  add(deadline: number): void {
    if (deadline < this.at) this.arm(deadline)
  }

  /** Stops checking. */
  stop(): void {
    clearTimeout(this.timer)
    this.at = Infinity
  }

  private arm(at: number): void {
    clearTimeout(this.timer)
    this.at = at
    const ms = Math.min(Math.max(at - Date.now(), 1), MAX_TIMER_MS)
    this.timer = setTimeout(() => this.run(), ms).unref()
  }

  private run(): void {
    this.at = Infinity
    const next = this.expire(Date.now())
    if (Number.isFinite(next)) this.add(next)
  }
}
