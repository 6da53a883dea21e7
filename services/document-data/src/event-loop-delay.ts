import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the event loop is looked at; more often would wake an idle process for nothing. */
const RESOLUTION_MS = 20
const WINDOW_MS = 500
const NANOSECONDS_PER_MS = 1e6

/** Watches how late the event loop runs what is due. */
export class EventLoopDelay implements Disposable {
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  private readonly timer: NodeJS.Timeout
  private mean = 0

  constructor() {
    this.histogram.enable()
    this.timer = setInterval(() => this.look(), WINDOW_MS)
    this.timer.unref()
  }

  /** Mean lateness over the last half second, in milliseconds: one long turn among many short ones counts little. */
  get meanMs(): number {
    return this.mean
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer)
    this.histogram.disable()
  }

  private look(): void {
    const { count, mean } = this.histogram
    // What is recorded is the time between two looks, so the one that was wanted is taken off.
    this.mean = count > 0 ? Math.max(0, mean / NANOSECONDS_PER_MS - RESOLUTION_MS) : 0
    this.histogram.reset()
  }
}
