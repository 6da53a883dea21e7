import { AppError } from '@sheaf/kit/errors'
import type { Connection } from './connections'
import { spoilsConnection, translateSqliteError } from './sqlite-errors'

/** Writes in one transaction at most. */
const GROUP_SIZE = 256
/** Milliseconds after which a group takes no further member, so that other documents are served. */
const GROUP_MS = 20
/** Maximum number of waiting writes of one document. */
const QUEUE_SIZE = 2000
/** A full queue is processed within about this time. */
const RETRY_AFTER_MS = '1000'

/** Hooks of the owner of the connection; all run synchronously within the group. */
export interface GroupHooks {
  /** Saves the state in memory; the function returned restores it when the member fails. */
  memberStarts(): () => void
  /** Runs inside the transaction, after the last member. What it throws fails the whole group. */
  beforeCommit(): void
  /** The transaction is on disk. What it throws is passed to `spoiled`. */
  committed(): void
  /** The whole transaction was rolled back. */
  undone(): void
  /** The state of the connection is in doubt. */
  spoiled(cause: unknown): void
}

/** A transaction that is on disk. */
export interface CommittedGroup {
  /** Writes that it holds. */
  readonly writes: number
  /** Milliseconds for which the first of them waited, … */
  readonly waitMs: number
  /** … milliseconds in which all of them were applied, … */
  readonly applyMs: number
  /** … and milliseconds until the transaction was on disk. */
  readonly commitMs: number
}

interface Member {
  /** Does the work; the function returned resolves the call with its result. */
  readonly run: () => () => void
  readonly signal: AbortSignal | undefined
  /** Arrival time; 0 without an observer. */
  readonly since: number
  readonly reject: (error: unknown) => void
}

/** A member that has done its work; `settle` is called once that is on disk. */
interface DoneMember {
  readonly member: Member
  readonly settle: () => void
}

/**
 * Group commit for one document: writes that arrive in one turn of the event loop share one transaction and
 * one fsync. Each runs in a savepoint, so that a failing one is rolled back alone; no call resolves before
 * the COMMIT that contains it. Some errors of SQLite end the whole transaction: then every member fails, also
 * those that had succeeded.
 */
export class GroupCommit {
  private queue: Member[] = []
  private scheduled = false
  private paused = false
  private closed: AppError | undefined

  constructor(
    private readonly connection: Connection,
    private readonly hooks: GroupHooks,
    private readonly observe?: (group: CommittedGroup) => void,
  ) {}

  /** Number of waiting writes. */
  get waiting(): number {
    return this.queue.length
  }

  /**
   * Runs a write in the next group and resolves to its result when that is on disk. A write whose signal is
   * aborted before its turn does not run. Throws `too_many` at once when too many writes wait.
   */
  add<T>(run: () => T, signal?: AbortSignal): Promise<T> {
    if (this.closed) return Promise.reject(this.closed)
    if (this.queue.length >= QUEUE_SIZE)
      return Promise.reject(
        new AppError(
          'too_many',
          'DOCUMENT_BUSY',
          'too many pending writes for this document, retry later',
          {
            retryAfterMs: RETRY_AFTER_MS,
          },
        ),
      )
    return new Promise<T>((resolve, reject) => {
      const since = this.observe ? performance.now() : 0
      const work = () => {
        const value = run()
        return () => resolve(value)
      }
      this.queue.push({ run: work, signal, since, reject })
      this.schedule()
    })
  }

  /** Suspends all writes until `resume`, because another connection writes. */
  pause(): void {
    this.paused = true
  }

  /** Resumes the waiting writes. */
  resume(): void {
    this.paused = false
    if (this.queue.length > 0) this.schedule()
  }

  /** Runs the waiting writes at once. */
  flush(): void {
    while (this.queue.length > 0) this.runGroup()
  }

  /** Rejects waiting and future writes. */
  close(reason: AppError): void {
    this.closed = reason
    for (const { reject } of this.queue.splice(0)) reject(reason)
  }

  private schedule(): void {
    if (this.scheduled || this.paused) return
    this.scheduled = true
    // After the I/O of this turn, so that all requests that arrived together are here; adds no wait to a lone
    // one.
    setImmediate(() => {
      this.scheduled = false
      if (this.paused) return
      if (this.queue.length > 0) this.runGroup()
      if (this.queue.length > 0) this.schedule()
    })
  }

  private runGroup(): void {
    const done: DoneMember[] = []
    let current: Member | undefined
    let begun: number
    let applied = 0
    try {
      this.connection.prepare('BEGIN IMMEDIATE').run()
      begun = performance.now()
      const until = begun + GROUP_MS
      for (let taken = 0; taken < GROUP_SIZE && performance.now() < until; taken++) {
        current = this.queue.shift()
        if (!current) break
        this.runMember(current, done)
      }
      current = undefined
      if (done.length > 0) this.hooks.beforeCommit()
      if (this.observe) applied = performance.now()
      this.connection.prepare('COMMIT').run()
    } catch (error) {
      // Without a member BEGIN itself failed: then all waiting writes fail.
      const failed = done.map(({ member }) => member)
      if (current) failed.push(current)
      this.failAll(failed.length > 0 ? failed : this.queue.splice(0), error)
      return
    }
    this.measure(done, begun, applied)
    try {
      this.hooks.committed()
    } catch (error) {
      // The writes are on disk, so they succeed; only what the owner has in memory is in doubt.
      this.hooks.spoiled(error)
    }
    for (const { settle } of done) settle()
  }

  private measure(done: readonly DoneMember[], begun: number, applied: number): void {
    const first = done[0]?.member
    if (!this.observe || !first) return
    this.observe({
      writes: done.length,
      waitMs: begun - first.since,
      applyMs: applied - begun,
      commitMs: performance.now() - applied,
    })
  }

  /** Runs one write in its savepoint. Throws only when the transaction of the group was rolled back. */
  private runMember(member: Member, done: DoneMember[]): void {
    if (member.signal?.aborted) {
      member.reject(new AppError('timeout', 'CALL_ENDED', 'the call ended before it was run'))
      return
    }
    const undo = this.hooks.memberStarts()
    this.connection.prepare('SAVEPOINT member').run()
    try {
      const settle = member.run()
      this.connection.prepare('RELEASE member').run()
      done.push({ member, settle })
    } catch (error) {
      if (!this.connection.db.inTransaction) throw error
      this.connection.prepare('ROLLBACK TO member').run()
      this.connection.prepare('RELEASE member').run()
      undo()
      if (spoilsConnection(error)) throw error
      member.reject(translateSqliteError(error))
    }
  }

  private failAll(members: readonly Member[], cause: unknown): void {
    let spoiled = spoilsConnection(cause)
    try {
      if (this.connection.db.inTransaction) this.connection.prepare('ROLLBACK').run()
    } catch {
      spoiled = true
    }
    this.hooks.undone()
    const reason = translateSqliteError(cause)
    for (const { reject } of members) reject(reason)
    if (spoiled) this.hooks.spoiled(cause)
  }
}
