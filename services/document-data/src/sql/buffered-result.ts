import { tooSlow } from '../store/reads/record-chunks'
import type { SqlResult } from './sql-child'
import type { SqlMoment } from './sql-messages'

/**
 * The result of a statement, buffered in memory until it is disposed of or a slow reader exceeds its time
 * limit.
 */
export class BufferedResult implements Disposable {
  readonly moment: SqlMoment
  private left: readonly Uint8Array[] | undefined
  private readonly timer: NodeJS.Timeout

  constructor(
    { moment, chunks }: SqlResult,
    maxHoldMs: number,
    private readonly released: () => void,
  ) {
    this.moment = moment
    this.left = chunks
    this.timer = setTimeout(() => this.drop(), maxHoldMs)
    this.timer.unref()
  }

  /** The bytes, in chunks. Throws AppError `unavailable` when the result was buffered for too long. */
  *chunks(): Generator<Buffer> {
    for (let at = 0; ; at++) {
      if (!this.left) throw tooSlow()
      const chunk = this.left[at]
      if (!chunk) return
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    }
  }

  [Symbol.dispose](): void {
    this.drop()
  }

  private drop(): void {
    if (!this.left) return
    clearTimeout(this.timer)
    this.left = undefined
    this.released()
  }
}
