/** The parts of an upload, which can be sent again from the first one while all that was sent so far is kept. */
export class RepeatableParts<T> {
  /** Parts from `dropped` on. */
  private kept: T[] = []
  private dropped = 0
  private isEnded = false
  private reading?: Promise<void>

  /**
   * @param source parts as they arrive
   * @param keep charges a part to the budget that it is kept in; returns false when it cannot be kept
   */
  constructor(
    private readonly source: AsyncIterator<T>,
    private readonly keep: (part: T) => boolean,
  ) {}

  /** False once parts that were sent are no longer kept. */
  get canRepeat(): boolean {
    return this.dropped === 0
  }

  /** Sends all parts, as they arrive. Only one call may be under way, besides those that have failed. Throws what the source throws. */
  async *send(): AsyncGenerator<T> {
    for (let position = 0; ;) {
      const part = this.kept[position - this.dropped]
      if (part !== undefined) {
        yield part
        position++
      } else if (this.isEnded || position < this.dropped) return
      // A failed call may still be waiting for the same part.
      else await (this.reading ??= this.readNext())
    }
  }

  private async readNext(): Promise<void> {
    const next = await this.source.next()
    this.reading = undefined
    if (next.done) {
      this.isEnded = true
      return
    }
    if (this.dropped > 0 || !this.keep(next.value)) {
      // All of these have been sent: the next part is read only then.
      this.dropped += this.kept.length
      this.kept = []
    }
    this.kept.push(next.value)
  }
}
