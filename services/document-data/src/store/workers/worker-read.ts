import { callEnded, tooSlow, type ReadLimits } from '../reads/record-chunks'
import type { FromWorker } from './worker-messages'

/** Chunks that a thread makes ahead of demand. */
export const AHEAD = 2

/** The connection of a read to its thread. */
export interface ReadLine {
  /** Asks for one more chunk. */
  more(): void
  /** Cancels the read; also stops a running statement. */
  end(): void
}

/**
 * The receiving end of a read that runs in a thread: holds at most as many chunks as the thread may make
 * ahead.
 */
export class WorkerRead {
  /** Log position of the snapshot; rejects when there will be none. */
  readonly begun: Promise<number>
  private readonly queue: Buffer[] = []
  /** Undefined while the read runs; null when the thread has sent everything. */
  private outcome: { readonly error: unknown } | null | undefined
  private wake = () => {}
  private begin: (seq: number) => void = () => {}
  private refuse: (error: unknown) => void = () => {}
  private readonly release: () => void

  constructor(
    private readonly line: ReadLine,
    { signal, maxAgeMs }: ReadLimits,
    /** Called once, when the read has ended in any way. */
    private readonly ended: () => void = () => {},
  ) {
    this.begun = new Promise((resolve, reject) => {
      this.begin = resolve
      this.refuse = reject
    })
    this.begun.catch(() => {})
    const timer = setTimeout(() => this.fail(tooSlow()), maxAgeMs)
    timer.unref()
    const onAbort = () => this.fail(callEnded())
    signal?.addEventListener('abort', onAbort)
    this.release = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      this.ended()
    }
    if (signal?.aborted) this.fail(callEnded())
  }

  /** Handles a message of the thread. */
  receive(message: Exclude<FromWorker, { kind: 'failed' }>): void {
    if (this.outcome !== undefined) return
    if (message.kind === 'begun') this.begin(message.seq)
    else if (message.kind === 'chunk') this.queue.push(Buffer.from(message.bytes))
    else this.settle(null)
    this.wake()
  }

  /** Ends the read with an error, which the iteration throws at once. */
  fail(error: unknown): void {
    if (this.outcome !== undefined) return
    this.line.end()
    this.queue.length = 0
    this.settle({ error })
    this.refuse(error)
    this.wake()
  }

  /** The chunks, as they are taken. Must be iterated, or returned, to its end. */
  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.queue.shift()
        if (chunk) {
          this.line.more()
          yield chunk
        } else if (this.outcome !== undefined) {
          if (this.outcome) throw this.outcome.error
          return
        } else await new Promise<void>((resolve) => (this.wake = resolve))
      }
    } finally {
      this.fail(callEnded())
    }
  }

  private settle(outcome: { readonly error: unknown } | null): void {
    this.outcome = outcome
    this.release()
  }
}
