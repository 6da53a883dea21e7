import { FairQueue } from '@sheaf/kit/fair-queue'
import { FairShare } from '@sheaf/kit/fair-share'
import { callEnded } from '../reads/record-chunks'
import type { ReadLimits } from '../reads/record-chunks'

/** Bytes of whole replies in memory: enough to keep the stream to a gateway busy, for a user with a quarter of it as well. */
const MAX_BYTES = 16 * 1024 * 1024
/** Shorter replies are not counted: the limit of concurrent reads bounds them. */
const COUNTED_BYTES = 64 * 1024

/** A read that waits until it may make its reply. */
interface Waiter {
  readonly user: number
  readonly begin: () => void
}

type Caller = Pick<ReadLimits, 'signal' | 'userId'>

/**
 * Memory of whole replies, which exist from the moment they are read until the transport has taken them. A read makes
 * its reply when its user holds nothing or less than a share; the others wait, and are served by user in turn, one in a turn
 * of the event loop. So hundreds of reads that arrive together neither fill the memory nor stop the process.
 */
export class ReplyRoom {
  private readonly held = new FairShare(MAX_BYTES)
  private readonly waiting = new FairQueue<Waiter>()
  private isScheduled = false

  /** Bytes of replies that the transport has not taken. */
  get used(): number {
    return this.held.used
  }

  /** Reads that wait. */
  get waitingCount(): number {
    return this.waiting.size
  }

  /**
   * Returns undefined when a caller may read now, else a promise of that. The promise is rejected when the caller's signal
   * is aborted. Reads of Sheaf itself never wait.
   */
  enter(caller: Caller): Promise<void> | undefined {
    const { userId } = caller
    if (userId === undefined || this.mayRead(userId)) return undefined
    return this.wait(userId, caller.signal)
  }

  /** Counts a reply of a caller; returns a function that ends that, to be called once. Undefined when it is not counted. */
  hold({ userId: user }: Caller, { length }: Buffer): (() => void) | undefined {
    if (user === undefined || length < COUNTED_BYTES) return undefined
    this.held.take({ user }, length)
    return () => {
      this.held.give({ user }, length)
      this.schedule()
    }
  }

  /** A user who holds nothing never waits for the readers of others, who may have stalled. */
  private mayRead(user: number): boolean {
    return this.held.heldBy('user', user) === 0 || !this.held.check({ user }, 1)
  }

  private wait(user: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        user,
        begin: () => {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      const giveUp = () => {
        this.waiting.remove(waiter)
        reject(callEnded())
      }
      if (signal?.aborted) return reject(callEnded())
      signal?.addEventListener('abort', giveUp, { once: true })
      this.waiting.add(waiter)
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.size === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      const next = this.waiting.take(({ user }) => this.mayRead(user))
      if (!next) return
      next.begin()
      // The size of its reply is known then.
      this.schedule()
    })
  }
}
