import { AppError } from '@sheaf/kit/errors'
import { openLongReader, type Connection } from './connections'

/** Long reads of one document at the same time. */
const MAX_READERS = 16
/** Connections kept open between reads. */
const MAX_SPARE = 2

/** A connection borrowed for one long read. */
export interface Loan {
  readonly connection: Connection
  /** Why the connection was revoked; undefined while it may be used. */
  readonly revoked?: AppError
  /** Returns the connection and ends its transaction. Must be called exactly once. */
  release(): void
}

type Revoke = (reason: AppError) => void

/** Acquires what a long read needs besides its place here, and returns a function that releases it; may throw. */
export type AcquireSlot = () => () => void

interface RunningRead {
  readonly revoke: Revoke
  readonly free: () => void
}

const acquireNothing: AcquireSlot = () => () => {}

/**
 * The long reads of one document, and read-only connections for those on the event loop. Their snapshots
 * prevent the reuse of the write-ahead log; `drain` holds back new reads until all running ones have ended.
 */
export class ReaderPool {
  private readonly spare: Connection[] = []
  private readonly loans = new Map<object, RunningRead>()
  private readonly waiting = new Set<Revoke>()
  private drained: PromiseWithSettle | undefined

  constructor(private readonly path: string) {}

  /** Number of running long reads. */
  get inUse(): number {
    return this.loans.size
  }

  /** True while new reads are held back. */
  get draining(): boolean {
    return this.drained !== undefined
  }

  /** Throws `unavailable` while new reads are held back, for those that cannot wait. */
  requireAdmission(): void {
    if (!this.drained) return
    const hint = { retryAfterMs: '1000' }
    throw new AppError('unavailable', 'DOCUMENT_BUSY', 'document busy, retry later', hint)
  }

  /** Holds back new reads until the running ones have ended and `then` is done. */
  drain(then: () => Promise<void>): void {
    if (this.drained) return
    const drained = createSettle()
    this.drained = drained
    const finish = () => {
      this.onEmpty = () => {}
      void then().finally(() => {
        this.drained = undefined
        drained.resolve()
      })
    }
    this.onEmpty = finish
    if (this.loans.size === 0) finish()
  }

  /** Waits until the running reads have ended, for at most so many milliseconds; new ones are held back meanwhile. */
  async settle(ms: number): Promise<void> {
    if (this.loans.size === 0) return
    const ended = createSettle()
    const timer = setTimeout(ended.resolve, ms)
    if (this.drained) void this.drained.promise.then(ended.resolve)
    else this.drain(() => Promise.resolve(ended.resolve()))
    await ended.promise
    clearTimeout(timer)
  }

  /** Waits while new reads are held back. Throws the reason if the document is closed meanwhile. */
  async admit(): Promise<void> {
    while (this.drained) {
      let revoke: Revoke = () => {}
      const closed = new Promise<never>((_, reject) => (revoke = reject))
      this.waiting.add(revoke)
      try {
        await Promise.race([this.drained.promise, closed])
      } finally {
        this.waiting.delete(revoke)
      }
    }
  }

  /**
   * Counts a long read that has a connection of its own; `revoke` is called when it has to end. Returns what
   * must be called at its end. Throws `too_many` when too many long reads of the document run, and what
   * `acquire` throws.
   */
  enter(revoke: Revoke, acquire = acquireNothing): () => void {
    const key = {}
    this.requireRoom()
    this.loans.set(key, { revoke, free: acquire() })
    return () => this.leave(key)
  }

  /** Borrows a connection. Throws as `enter`. */
  borrow(acquire = acquireNothing): Loan {
    this.requireRoom()
    const free = acquire()
    const connection = this.takeSpare(free)
    const release = () => this.giveBack(connection)
    const loan: { connection: Connection; revoked?: AppError; release: () => void } = {
      connection,
      release,
    }
    const revoke: Revoke = (reason) => {
      loan.revoked = reason
      connection.close()
    }
    this.loans.set(connection, { revoke, free })
    return loan
  }

  /** Ends all reads and closes the connections. */
  close(reason: AppError): void {
    const reads = [...this.loans.values()]
    const revoked = [...reads.map(({ revoke }) => revoke), ...this.waiting]
    this.onEmpty = () => {}
    this.loans.clear()
    this.waiting.clear()
    for (const { free } of reads) free()
    for (const revoke of revoked) revoke(reason)
    for (const connection of this.spare.splice(0)) connection.close()
  }

  private onEmpty = () => {}

  private requireRoom(): void {
    if (this.loans.size >= MAX_READERS)
      throw new AppError(
        'too_many',
        'TOO_MANY_READS',
        'too many concurrent long reads of this document, retry later',
        {
          retryAfterMs: '1000',
        },
      )
  }

  private takeSpare(free: () => void): Connection {
    try {
      return this.spare.pop() ?? openLongReader(this.path)
    } catch (error) {
      free()
      throw error
    }
  }

  private leave(key: object): boolean {
    const read = this.loans.get(key)
    if (!read) return false
    this.loans.delete(key)
    read.free()
    if (this.loans.size === 0) this.onEmpty()
    return true
  }

  private giveBack(connection: Connection): void {
    if (!this.loans.has(connection)) return
    try {
      if (connection.db.inTransaction) connection.prepare('ROLLBACK').run()
      if (this.spare.length < MAX_SPARE) this.spare.push(connection)
      else connection.close()
    } catch {
      connection.close()
    }
    this.leave(connection)
  }
}

interface PromiseWithSettle {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

function createSettle(): PromiseWithSettle {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}
