import { AppError } from '@sheaf/kit/errors'
import type { Exchange } from '../http/exchange'

/** Larger uploads are not kept in memory, and cannot be sent again. */
const MAX_KEPT_BYTES = 1024 * 1024

/** A part of an upload: bytes of a file, or what describes them. */
interface UploadPart {
  readonly part?: { readonly $case: string; readonly value: unknown } | undefined
}

/** Keeps the first parts of an upload, so that a small one can be sent to another home, in the budget of bodies. */
export function keeperOf(exchange: Exchange) {
  let kept = 0
  return ({ part }: UploadPart): boolean => {
    const bytes = part?.value instanceof Uint8Array ? part.value.length : 0
    if (kept + bytes > MAX_KEPT_BYTES) return false
    kept += bytes
    try {
      exchange.keep(bytes)
      return true
    } catch {
      return false
    }
  }
}

/** The parts of an upload, which can be sent again from the first one while all that was sent so far is kept. */
export class RepeatableParts<T> {
  /** Parts from `dropped` on. */
  private kept: T[] = []
  private dropped = 0
  private isEnded = false
  private hasFailed = false
  private reading?: Promise<void>

  /**
   * @param source parts as they arrive
   * @param keep charges a part to the budget that it is kept in; returns false when it cannot be kept
   */
  constructor(
    private readonly source: AsyncIterator<T>,
    private readonly keep: (part: T) => boolean,
  ) {}

  /** False once parts that were sent are no longer kept, and once the source has failed. */
  get canRepeat(): boolean {
    return this.dropped === 0 && !this.hasFailed
  }

  /**
   * Sends all parts, as they arrive. Only one call may be under way, besides those that have failed. Throws what the source throws,
   * and `unavailable` when parts that this call has not sent are no longer kept: what it has sent must not count as whole.
   */
  async *send(): AsyncGenerator<T> {
    for (let position = 0; ;) {
      const part = this.kept[position - this.dropped]
      if (part !== undefined) {
        yield part
        position++
      } else if (position < this.dropped)
        throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the upload cannot be sent again')
      else if (this.isEnded) return
      // A failed call may still be waiting for the same part.
      else await (this.reading ??= this.readNext())
    }
  }

  private async readNext(): Promise<void> {
    const next = await this.source.next().catch((error: unknown) => {
      this.hasFailed = true
      throw error
    })
    this.reading = undefined
    if (next.done) {
      this.isEnded = true
      return
    }
    if (this.dropped > 0 || !this.keep(next.value)) {
      // A call has sent all of these: the next part is read only then.
      this.dropped += this.kept.length
      this.kept = []
    }
    this.kept.push(next.value)
  }
}
