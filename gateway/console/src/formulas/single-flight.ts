/** A task that runs for the latest input. */
type Task<Input, Result> = (input: Input, signal: AbortSignal) => Promise<Result>

/** Receives the outcomes of the latest input. */
export interface FlightListener<Input, Result> {
  readonly onResult: (result: Result) => void
  /** Returns the milliseconds after which the input is tried again; undefined for never. */
  readonly onError: (error: unknown, input: Input) => number | undefined
}

/**
 * Runs a task for the latest of many inputs: a while after the input was given, and never twice at the same time. A newer input
 * aborts the running task, and the next one starts when that has settled.
 */
export class SingleFlight<Input, Result> {
  private timer: ReturnType<typeof setTimeout> | undefined
  private running: AbortController | undefined
  private next: { readonly input: Input } | undefined

  constructor(
    private readonly task: Task<Input, Result>,
    private readonly listener: FlightListener<Input, Result>,
    private readonly delayMs: number,
  ) {}

  /** Takes a new input. */
  give(input: Input): void {
    this.cancel()
    this.schedule(input, this.delayMs)
  }

  /** Drops the input, and aborts the task if it runs. */
  cancel(): void {
    clearTimeout(this.timer)
    this.next = undefined
    this.running?.abort()
  }

  private schedule(input: Input, ms: number): void {
    this.timer = setTimeout(() => {
      this.next = { input }
      if (!this.running) void this.run()
    }, ms)
  }

  private async run(): Promise<void> {
    while (this.next) {
      const { input } = this.next
      const running = new AbortController()
      this.next = undefined
      this.running = running
      try {
        const result = await this.task(input, running.signal)
        if (!running.signal.aborted) this.listener.onResult(result)
      } catch (error) {
        const retryMs = running.signal.aborted ? undefined : this.listener.onError(error, input)
        if (retryMs !== undefined) this.schedule(input, retryMs)
      }
      this.running = undefined
    }
  }
}
