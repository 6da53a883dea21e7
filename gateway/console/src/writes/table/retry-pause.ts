const FIRST_MS = 1_000
const MAX_MS = 5_000

/** The pauses between attempts, which double up to a maximum, or last for as long as the server asks for. */
export class RetryPause {
  private failures = 0
  private finish: () => void = () => {}

  /** Resolves after the pause that follows a failed attempt, or after `end`. */
  begin(error: unknown): Promise<void> {
    const asked = (error as { retryAfterMs?: number } | undefined)?.retryAfterMs ?? 0
    const ms = Math.max(asked, Math.min(MAX_MS, FIRST_MS * 2 ** this.failures++))
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.finish = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Ends the current pause, if any. */
  end(): void {
    this.finish()
  }

  /** Begins with short pauses again, after an attempt that succeeded. */
  reset(): void {
    this.failures = 0
  }
}
