import { needsPython } from './values/values'

/** Steps of the formula of a column in one turn of the event loop, … */
const MAX_STEPS = 500_000
/** … and milliseconds of the processor in all turns of a slice. */
const MAX_MS = 250

/** What computing the cells of one column may take of the event loop, on which it runs. */
export class ComputeBudget {
  /** True when some cell needed more than there was left. */
  isSpent = false
  private begun = performance.now()
  private cpu = process.cpuUsage()
  private usedMs = 0
  private steps = 0

  /** Counts steps. Leaves the cell to Python when there were too many, or when they took too long. */
  spend(steps: number): void {
    this.steps += steps
    if (this.steps <= MAX_STEPS && performance.now() - this.begun + this.usedMs <= MAX_MS) return
    if (this.steps <= MAX_STEPS && this.processorMs() <= MAX_MS) return
    this.isSpent = true
    needsPython()
  }

  /** Ends a turn; what other work takes until `resume` does not count. */
  pause(): void {
    this.usedMs = this.processorMs()
  }

  /** Begins another turn. */
  resume(): void {
    this.begun = performance.now()
    this.cpu = process.cpuUsage()
    this.steps = 0
  }

  /**
   * Both the time that has passed and the processor time of all threads are at least what this thread has used of the
   * processor: the former counts other processes on a busy machine as well.
   */
  private processorMs(): number {
    const { user, system } = process.cpuUsage(this.cpu)
    return this.usedMs + Math.min(performance.now() - this.begun, (user + system) / 1_000)
  }
}
