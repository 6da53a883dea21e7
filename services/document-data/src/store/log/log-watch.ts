import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'

/** Calls that wait at once; half of them for one document. */
const MAX_WAITING = 1000
const HINT = { retryAfterMs: '1000' }

/** Lets calls wait for the next entry of a document's log. A waiting call holds no other resource. */
export class LogWatch implements Disposable {
  private readonly waiting = new Map<string, Set<() => void>>()
  private readonly places = new Quota(MAX_WAITING)
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
  async wait(docId: string, ms: number, signal?: AbortSignal): Promise<void> {
    this.requireOpen()
    const full = this.places.check(docId, 1)
    if (full === 'share')
      throw new AppError(
        'too_many',
        'DOCUMENT_BUSY',
        'too many waiting calls for this document, retry later',
        HINT,
      )
    if (full)
      throw new AppError(
        'unavailable',
        'SERVICE_BUSY',
        'too many calls waiting for changes, retry later',
        HINT,
      )
    if (signal?.aborted) return
    this.places.take(docId, 1)
    const others = this.waiting.get(docId) ?? new Set()
    this.waiting.set(docId, others)
    await new Promise<void>((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', settle)
        others.delete(settle)
        if (others.size === 0) this.waiting.delete(docId)
        this.places.give(docId, 1)
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
