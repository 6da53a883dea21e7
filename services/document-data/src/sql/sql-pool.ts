import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'
import { BufferedResult } from './buffered-result'
import { ChildEnded, SqlChild, type SqlResult } from './sql-child'
import { tooMuchMemory } from './sql-errors'
import type { ResultLimits, SqlRequest } from './sql-messages'

/** Bounds of what callers may ask by SQL. */
export interface SqlLimits extends ResultLimits {
  /** Statements that run at once, a process each. */
  readonly processes: number
  /** Statements that wait for their turn. */
  readonly waiting: number
  /** Time of one statement; a caller may ask for less. */
  readonly timeoutMs: number
  /** Memory of one statement. */
  readonly memoryBytes: number
}

/** What the pool is made of. */
export interface SqlPoolOptions {
  readonly limits: SqlLimits
  /** How long a result is held for a slow reader, in milliseconds. */
  readonly maxHoldMs: number
  /** Another program than usual, in tests. */
  readonly program?: string
  /** Told of a process that cannot be started, or breaks down. */
  readonly onCrash: (error: unknown) => void
}

/** A statement of a caller. */
export interface SqlStatement extends Pick<SqlRequest, 'sql' | 'args' | 'format'> {
  readonly docId: string
  /** Time limit in milliseconds; 0 for the usual one, which it can only lower. */
  readonly timeoutMs: number
}

/** Runs a read of a document's file outside this process; the signal says when it has to end. */
export type ReadFile = (
  read: (path: string, ended: AbortSignal) => Promise<SqlResult>,
) => Promise<SqlResult>

/** How long a statement may wait for its turn. */
const WAIT_MS = 10_000
/** When to try again, for those who are sent away. */
const RETRY_MS = '1000'
/** Results that are held at once, as a multiple of the largest: no statement begins while there are more. */
const RESULTS_HELD = 8

interface Waiter {
  readonly docId: string
  readonly take: (child: SqlChild) => void
  readonly refuse: (error: Error) => void
}

/**
 * A few processes for SQL that callers wrote, and one more that is warm, so that the next statement does not wait when
 * one had to be killed. No document gets more than half of them. The first statement starts them.
 */
export class SqlPool implements AsyncDisposable {
  private readonly children = new Set<SqlChild>()
  private readonly taken = new Set<SqlChild>()
  private readonly waiting = new Set<Waiter>()
  private readonly running: Quota
  private readonly queued: Quota
  /** Processes that ended otherwise than by closing the pool, by what ended them. */
  readonly ended = { stopped: 0, spent: 0, memory: 0, failure: 0 }
  private heldBytes = 0
  private closed = false

  constructor(private readonly options: SqlPoolOptions) {
    this.running = new Quota(options.limits.processes)
    this.queued = new Quota(options.limits.waiting)
  }

  /** Processes that run a statement. */
  get busy(): number {
    return this.running.used
  }

  /** Processes that may run a statement at once. */
  get limit(): number {
    return this.options.limits.processes
  }

  /** Statements that wait for a process. */
  get waitingCount(): number {
    return this.waiting.size
  }

  /**
   * Runs a statement; its result must be disposed of. Throws AppError: `invalid` for what is wrong with it,
   * `too_many` when its document has its share of the queue, `unavailable` when there is too much to do.
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
        // Another process may have killed it: the statement is run once more, but not a third time.
        if (!error.isFromOutside || attempt > 1) throw tooMuchMemory()
      }
    }
  }

  /** Ends all processes; what they did fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    for (const waiter of [...this.waiting]) waiter.refuse(closed())
    for (const child of this.children) child.kill()
  }

  private release({ bytes }: SqlResult): void {
    this.heldBytes -= bytes
    this.serve()
  }

  private async runOnce(
    { docId, sql, args, format, timeoutMs }: SqlStatement,
    file: ReadFile,
    signal: AbortSignal,
  ): Promise<SqlResult> {
    const { maxRows, maxBytes, timeoutMs: most } = this.options.limits
    const child = await this.enter(docId, signal)
    try {
      return await file((path, ended) => {
        const request = { path, sql, args, format, maxRows, maxBytes }
        const limitMs = timeoutMs > 0 ? Math.min(timeoutMs, most) : most
        return child.run(request, limitMs, AbortSignal.any([signal, ended]))
      })
    } finally {
      this.leave(docId, child)
    }
  }

  private async enter(docId: string, signal: AbortSignal): Promise<SqlChild> {
    if (this.closed) throw closed()
    const full = this.queued.check(docId, 1)
    if (full) throw busy(full)
    this.queued.take(docId, 1)
    let waiter: Waiter | undefined
    let onAbort = () => {}
    const timer = setTimeout(() => waiter?.refuse(busy('whole')), WAIT_MS)
    try {
      return await new Promise<SqlChild>((take, reject) => {
        const refuse = (error: Error) => {
          if (waiter) this.waiting.delete(waiter)
          reject(error)
        }
        waiter = { docId, take, refuse }
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
      this.queued.give(docId, 1)
    }
  }

  private leave(docId: string, child: SqlChild): void {
    this.taken.delete(child)
    this.running.give(docId, 1)
    // Its place is filled when it has ended.
    if (child.isSpent) child.kill()
    this.serve()
  }

  /** Gives free processes to those who wait, in their order, but for documents that have their share. */
  private serve(): void {
    const { processes, maxBytes } = this.options.limits
    for (const waiter of this.waiting) {
      if (this.running.used >= processes || this.heldBytes > RESULTS_HELD * maxBytes) return
      const child = this.findFree(waiter.docId)
      if (!child) return
      if (this.running.check(waiter.docId, 1)) continue
      this.waiting.delete(waiter)
      this.running.take(waiter.docId, 1)
      this.taken.add(child)
      child.docId = waiter.docId
      waiter.take(child)
    }
  }

  /** A process that waits for work; the one that may still have the document open, when it does. */
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
    // One that cannot even start is not started again and again: the next statement tries.
    if (child.isReady) return this.fill()
    if (this.children.size > 0) return
    for (const waiter of [...this.waiting]) waiter.refuse(failed())
  }
}

function closed(): AppError {
  return new AppError('unavailable', 'DOCUMENT_CLOSED', 'the document was closed')
}

function failed(): AppError {
  return new AppError('unavailable', 'WORKER_FAILED', 'SQL is unavailable, retry later')
}

function busy(full: 'whole' | 'share'): AppError {
  const hint = { retryAfterMs: RETRY_MS }
  if (full === 'whole')
    return new AppError(
      'unavailable',
      'SERVICE_BUSY',
      'too many concurrent SQL statements, retry later',
      hint,
    )
  const message = 'too many concurrent SQL statements for this document, retry later'
  return new AppError('too_many', 'DOCUMENT_BUSY', message, hint)
}
