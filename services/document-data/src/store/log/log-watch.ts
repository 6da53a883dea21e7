import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'

/** Calls that wait at once. */
const MAX_WAITING = 2000
const RETRY_MS = '1000'

/** The user who waits, and for which document. */
interface Waiting {
  readonly docId: string
  readonly userId: number
}

/** Lets calls wait for the next entry of a document's log. A waiting call holds no other resource. */
export class LogWatch implements Disposable {
  private readonly waiting = new Map<string, Set<() => void>>()
  private readonly places = new FairShare(MAX_WAITING)
  private closed = false

  /** Calls that wait. */
  get size(): number {
    return this.places.used
  }

  /**
   * Resolves when the document was written or removed, at the latest after so many milliseconds or when the
   * signal is aborted. Throws `too_many` or `unavailable` when too many wait, and `unavailable` when waiting
   * was ended for all.
   */
  async wait({ docId, userId }: Waiting, ms: number, signal?: AbortSignal): Promise<void> {
    this.requireOpen()
    const holder = { user: userId, document: docId }
    const full = this.places.check(holder, 1)
    if (full) throw toBusyError(full, { what: 'calls waiting for changes', retryAfterMs: RETRY_MS })
    if (signal?.aborted) return
    this.places.take(holder, 1)
    const others = this.waiting.get(docId) ?? new Set()
    this.waiting.set(docId, others)
    await new Promise<void>((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', settle)
        others.delete(settle)
        if (others.size === 0) this.waiting.delete(docId)
        this.places.give(holder, 1)
        resolve()
      }
      const timer = setTimeout(settle, ms)
      signal?.addEventListener('abort', settle)
      others.add(settle)
    })
    this.requireOpen()
  }

  /** Call when the document was written or removed. */
  wake(docId: string): void {
    for (const settle of [...(this.waiting.get(docId) ?? [])]) settle()
  }

  /** Ends all waiting permanently. */
  [Symbol.dispose](): void {
    this.closed = true
    for (const docId of [...this.waiting.keys()]) this.wake(docId)
  }

  private requireOpen(): void {
    if (this.closed)
      throw new AppError('unavailable', 'DOCUMENT_CLOSED', 'the service is stopping, retry later')
  }
}
