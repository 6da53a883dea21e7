/** Long enough to make the cost of a request small, short enough for progress that moves and a server that breathes. */
const TARGET_MS = 400
const FIRST_ROWS = 500
const LEAST_ROWS = 50
const MOST_ROWS = 20_000
/** At most three bytes a character, so that a request stays below the server's limit for bodies. */
const MOST_CHARS = 8 * 1024 * 1024

/** Chooses how many rows to send at once, by how long the last ones took. */
export class BatchSize {
  private maxChars = MOST_CHARS
  private rows: number

  /** @param fixed rows of every batch; adaptive unless given */
  constructor(private readonly fixed?: number) {
    this.rows = fixed ?? FIRST_ROWS
  }

  /** True when a batch of this size should be sent. */
  isFull(rows: number, chars: number): boolean {
    return rows >= this.rows || chars >= this.maxChars
  }

  /** Takes into account how long a batch took. */
  learn(rows: number, ms: number): void {
    if (this.fixed !== undefined) return
    const factor = Math.min(2, Math.max(0.5, TARGET_MS / Math.max(ms, 1)))
    this.rows = Math.round(Math.min(MOST_ROWS, Math.max(LEAST_ROWS, rows * factor)))
  }

  /** Takes into account that a body of so many characters was too large. */
  tooLarge(chars: number): void {
    this.maxChars = Math.ceil(chars / 2)
  }
}
