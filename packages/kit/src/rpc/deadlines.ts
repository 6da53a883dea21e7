/** Longest time that a timer can be set for, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** One timer for the deadlines of many calls: setting one for each costs more than looking through them now and then. */
export class Deadlines {
  private timer?: NodeJS.Timeout
  private at = Infinity

  /** @param expire ends what is due by then, epoch milliseconds, and answers the earliest deadline that is left */
  constructor(private readonly expire: (now: number) => number) {}

  /** Sees to it that a deadline, epoch milliseconds, is looked at in time. */
  add(deadline: number): void {
    if (deadline < this.at) this.arm(deadline)
  }

  /** Looks at none any more. */
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
