import { AppError } from '@sheaf/kit/errors'
import { FairQueue } from '@sheaf/kit/fair-queue'
import { FairShare, toBusyError, type Full, type Holder } from '@sheaf/kit/fair-share'
import type { OnRevoked } from '../store/document'
import { BufferedResult } from './buffered-result'
import { ChildEnded, SqlChild, type SqlResult } from './sql-child'
import { tooMuchMemory } from './sql-errors'
import type { ResultLimits, SqlRequest } from './sql-messages'

/** Limits of SQL run for callers. */
export interface SqlLimits extends ResultLimits {
  /** Statements that run concurrently, one process each. */
  readonly processes: number
  /** Statements that may queue. */
  readonly waiting: number
  /** Time limit of a statement; a caller may request a shorter one. */
  readonly timeoutMs: number
  /** Memory limit of a statement. */
  readonly memoryBytes: number
}

/** Dependencies and options of the pool. */
export interface SqlPoolOptions {
  readonly limits: SqlLimits
  /** How long a result is buffered for a slow reader, in milliseconds. */
  readonly maxHoldMs: number
  /** Overrides the program in tests. */
  readonly program?: string
  /** Called when a process cannot be started or crashes. */
  readonly onCrash: (error: unknown) => void
}

/** A statement of a caller. */
export interface SqlStatement extends Pick<SqlRequest, 'sql' | 'args' | 'format'> {
  readonly userId: number
  readonly docId: string
  /** Time limit in milliseconds; 0 for the default. It can only lower the default. */
  readonly timeoutMs: number
}

/** Runs a read of a document's file in another process. */
export type ReadFile = (
  read: (path: string, onRevoked: OnRevoked) => Promise<SqlResult>,
) => Promise<SqlResult>

/** How long a statement may wait in the queue. */
const WAIT_MS = 10_000
/** Retry delay for rejected callers. */
const RETRY_MS = '1000'
/** Limit of buffered results, as a multiple of the largest result: above it, no statement starts. */
const RESULTS_HELD = 8

interface Waiter extends Holder {
  readonly user: number
  readonly document: string
  readonly take: (child: SqlChild) => void
  readonly refuse: (error: Error) => void
}

/**
 * A pool of processes that run SQL written by callers, plus one spare, so that the next statement does not
 * wait when a process had to be killed. A user, and a document, uses at most its fair share of them, and waiting
 * statements are served by user in turn. Processes start with the first statement.
 */
export class SqlPool implements AsyncDisposable {
  private readonly children = new Set<SqlChild>()
  private readonly taken = new Set<SqlChild>()
  private readonly waiting = new FairQueue<Waiter>()
  private readonly running: FairShare
  private readonly queued: FairShare
  /** Processes that ended other than by closing the pool, by cause. */
  readonly ended = { stopped: 0, spent: 0, memory: 0, failure: 0 }
  private heldBytes = 0
  private closed = false

  constructor(private readonly options: SqlPoolOptions) {
    this.running = new FairShare(options.limits.processes)
    this.queued = new FairShare(options.limits.waiting)
  }

  /** Processes that are running a statement. */
  get busy(): number {
    return this.running.used
  }

  /** Maximum number of processes that run statements concurrently. */
  get limit(): number {
    return this.options.limits.processes
  }

  /** Statements that wait for a process. */
  get waitingCount(): number {
    return this.waiting.size
  }

  /**
   * Runs a statement; the result must be disposed of. Throws AppError: `invalid` for a faulty statement,
   * `too_many` when its user or document has used its share of the queue, `unavailable` when the pool is overloaded.
   */
  async run(statement: SqlStatement, file: ReadFile, signal: AbortSignal): Promise<BufferedResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.runOnce(statement, file, signal)
        this.heldBytes += result.bytes
        return new BufferedResult(result, this.options.maxHoldMs, () => this.release(result))
      } catch (error) {
        if (!(error instanceof ChildEnded)) throw error
        if (!error.isOfMemory) throw failed()
        // Another process may have killed it: the statement is retried once.
        if (!error.isFromOutside || attempt > 1) throw tooMuchMemory()
      }
    }
  }

  /** Ends all processes; running statements fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    for (const waiter of this.waiting.items) waiter.refuse(closed())
    for (const child of this.children) child.kill()
  }

  private release({ bytes }: SqlResult): void {
    this.heldBytes -= bytes
    this.serve()
  }

  private async runOnce(
    { userId, docId, sql, args, format, timeoutMs }: SqlStatement,
    file: ReadFile,
    signal: AbortSignal,
  ): Promise<SqlResult> {
    const { maxRows, maxBytes, timeoutMs: most } = this.options.limits
    const holder = { user: userId, document: docId }
    const child = await this.enter(holder, signal)
    try {
      return await file((path, onRevoked) => {
        const request = { path, sql, args, format, maxRows, maxBytes }
        const limitMs = timeoutMs > 0 ? Math.min(timeoutMs, most) : most
        return child.run(request, limitMs, { signal, onRevoked })
      })
    } finally {
      this.leave(holder, child)
    }
  }

  private async enter(
    holder: { readonly user: number; readonly document: string },
    signal: AbortSignal,
  ): Promise<SqlChild> {
    if (this.closed) throw closed()
    const full = this.queued.check(holder, 1)
    if (full) throw busy(full)
    this.queued.take(holder, 1)
    let waiter: Waiter | undefined
    let onAbort = () => {}
    const timer = setTimeout(() => waiter?.refuse(busy('whole')), WAIT_MS)
    try {
      return await new Promise<SqlChild>((take, reject) => {
        const refuse = (error: Error) => {
          if (waiter) this.waiting.remove(waiter)
          reject(error)
        }
        waiter = { ...holder, take, refuse }
        onAbort = () => refuse(signal.reason as Error)
        signal.addEventListener('abort', onAbort, { once: true })
        signal.throwIfAborted()
        this.waiting.add(waiter)
        this.fill()
        this.serve()
      })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      this.queued.give(holder, 1)
    }
  }

  private leave(holder: Holder, child: SqlChild): void {
    this.taken.delete(child)
    this.running.give(holder, 1)
    // It is replaced once it has ended.
    if (child.isSpent) child.kill()
    this.serve()
  }

  /** Assigns free processes to waiting statements, skipping users and documents that have used their share. */
  private serve(): void {
    const { processes, maxBytes } = this.options.limits
    for (;;) {
      if (this.running.used >= processes || this.heldBytes > RESULTS_HELD * maxBytes) return
      if (!this.hasFree()) return
      const waiter = this.waiting.take((each) => this.running.check(each, 1) === undefined)
      const child = waiter && this.findFree(waiter.document)
      if (!child) return
      this.running.take({ user: waiter.user, document: waiter.document }, 1)
      this.taken.add(child)
      child.docId = waiter.document
      waiter.take(child)
    }
  }

  private hasFree(): boolean {
    for (const child of this.children) if (child.isUsable && !this.taken.has(child)) return true
    return false
  }

  /** An idle process, preferably the one that still has the document open. */
  private findFree(docId: string): SqlChild | undefined {
    const free = [...this.children].filter((child) => child.isUsable && !this.taken.has(child))
    return free.find((child) => child.docId === docId) ?? free[0]
  }

  private fill(): void {
    const { limits, program } = this.options
    while (!this.closed && this.children.size <= limits.processes) {
      const child = new SqlChild(
        { memoryBytes: limits.memoryBytes, program },
        { ready: () => this.serve(), ended: (ended, error) => this.onEnded(ended, error) },
      )
      this.children.add(child)
    }
  }

  private onEnded(child: SqlChild, error: Error): void {
    if (!this.children.delete(child) || this.closed) return
    const isKilled = error instanceof ChildEnded && error.isOfMemory
    this.ended[child.killedAs ?? (isKilled ? 'memory' : 'failure')]++
    if (!isKilled) this.options.onCrash(error)
    // A process that fails to start is not restarted in a loop: the next statement tries again.
    if (child.isReady) return this.fill()
    if (this.children.size > 0) return
    for (const waiter of this.waiting.items) waiter.refuse(failed())
  }
}

function closed(): AppError {
  return new AppError('unavailable', 'DOCUMENT_CLOSED', 'the document was closed')
}

function failed(): AppError {
  return new AppError('unavailable', 'WORKER_FAILED', 'SQL is unavailable, retry later')
}

function busy(full: Full): AppError {
  return toBusyError(full, { what: 'concurrent SQL statements', retryAfterMs: RETRY_MS })
}
