import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Sampling interval; a shorter one would wake an idle process needlessly. */
const RESOLUTION_MS = 20
const WINDOW_MS = 500
const NANOSECONDS_PER_MS = 1e6

/** Measures the delay of the event loop. */
export class EventLoopDelay implements Disposable {
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  private readonly timer: NodeJS.Timeout
  private mean = 0

  constructor() {
    this.histogram.enable()
    this.timer = setInterval(() => this.look(), WINDOW_MS)
    this.timer.unref()
  }

  /**
   * Mean delay over the last half second, in milliseconds; a single long turn among many short ones has
   * little effect.
   */
  get meanMs(): number {
    return this.mean
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer)
    this.histogram.disable()
  }

  private look(): void {
    const { count, mean } = this.histogram
    // The histogram records the time between two samples, so the sampling interval is subtracted.
    this.mean = count > 0 ? Math.max(0, mean / NANOSECONDS_PER_MS - RESOLUTION_MS) : 0
    this.histogram.reset()
  }
}
