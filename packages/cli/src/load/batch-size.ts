/**
 * Long enough to amortize the cost of a request, short enough for frequent progress and for a responsive
 * server.
 */
const TARGET_MS = 400
const FIRST_ROWS = 500
const LEAST_ROWS = 50
const MOST_ROWS = 20_000
/**
 * A character takes at most six bytes, as an escape in JSON, so that a request stays below the default limit of bodies, 32 MiB, unless
 * its last row is large. The server may have a lower limit: `tooLarge`.
 */
const MOST_CHARS = 5 * 1024 * 1024

/** Chooses the number of rows per batch from the duration of the previous ones. */
export class BatchSize {
  private maxChars = MOST_CHARS
  private rows: number

  /** @param fixed rows of every batch; adaptive by default */
  constructor(private readonly fixed?: number) {
    this.rows = fixed ?? FIRST_ROWS
  }

  /** True when a batch of this size should be sent. */
  isFull(rows: number, chars: number): boolean {
    return rows >= this.rows || chars >= this.maxChars
  }

  /** Adapts to the duration of a batch. */
  learn(rows: number, ms: number): void {
    if (this.fixed !== undefined) return
    const factor = Math.min(2, Math.max(0.5, TARGET_MS / Math.max(ms, 1)))
    this.rows = Math.round(Math.min(MOST_ROWS, Math.max(LEAST_ROWS, rows * factor)))
  }

  /** Adapts to a body of this many characters being too large. */
  tooLarge(chars: number): void {
    this.maxChars = Math.ceil(chars / 2)
  }
}
