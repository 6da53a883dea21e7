import { AppError } from '@sheaf/kit/errors'
import type { Connection } from './connections'
import {
  WriteGroup,
  type CommittedGroup,
  type GroupHooks,
  type Member,
  type StageSignal,
  type WriteGroupParts,
} from './write-group'

export type { GroupHooks, StageSignal }

/** Maximum number of waiting writes of one document. */
const QUEUE_SIZE = 2000
/** Milliseconds after which a group takes no further member by default, so that other documents are served. */
const GROUP_MS = 20
/** A full queue is processed within about this time. */
const RETRY_AFTER_MS = '1000'

/** Options of GroupCommit. */
interface GroupOptions {
  /** Called after each transaction that is on disk. */
  readonly observeGroup?: ((group: CommittedGroup) => void) | undefined
  /** Milliseconds after which a group takes no further member. */
  readonly groupMs?: number | undefined
}

/**
 * Group commit for one document: writes that arrive in one turn of the event loop share one transaction and
 * one fsync. Each runs in a savepoint, so that a failing one is rolled back alone; no call resolves before
 * the COMMIT that contains it. Some errors of SQLite end the whole transaction: then every member fails, also
 * those that had succeeded. A group may wait with its transaction open; until it ends, nothing else may use
 * the connection: `runBetween` and `pause` wait for that.
 */
export class GroupCommit {
  private readonly queue: Member[] = []
  private scheduled = false
  private paused = false
  private closed: AppError | undefined
  /** The group whose transaction is open. */
  private open: WriteGroup | undefined
  /** What waits for the end of the open group. */
  private afterGroup: (() => void)[] = []
  private readonly parts: WriteGroupParts

  constructor(
    connection: Connection,
    hooks: GroupHooks,
    private readonly options: GroupOptions = {},
  ) {
    const { queue } = this
    const { observeGroup: observe, groupMs = GROUP_MS } = options
    this.parts = { connection, hooks, observe, groupMs, queue, ended: () => this.endGroup() }
  }

  /** Number of waiting writes. */
  get waiting(): number {
    return this.queue.length
  }

  /** True while the transaction of a group is open. */
  get isOpen(): boolean {
    return this.open !== undefined
  }

  /** True when writes that arrive are rejected. */
  get isClosed(): boolean {
    return this.closed !== undefined
  }

  /**
   * Runs a write in the next group and resolves to its result when that is on disk. A write whose signal is
   * aborted before its turn does not run. Throws `too_many` at once when too many writes wait.
   * @param preview rolls the write back, alone, once all that depends on it is derived; resolves to what this returns then
   */
  add<T>(run: () => T, signal?: AbortSignal, preview?: (value: T) => T): Promise<T> {
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
      const since = this.options.observeGroup ? performance.now() : 0
      const work = () => {
        const value = run()
        return () => resolve(preview ? preview(value) : value)
      }
      this.queue.push({ run: work, signal, isPreview: preview !== undefined, since, reject })
      this.schedule()
    })
  }

  /**
   * Suspends all writes until `resume`, because another connection writes. Resolves when no transaction is
   * open.
   */
  async pause(): Promise<void> {
    this.paused = true
    while (this.open) await this.ended()
  }

  /** Resumes the waiting writes. */
  resume(): void {
    this.paused = false
    if (this.queue.length > 0) this.schedule()
  }

  /** Runs a use of the connection outside of a transaction: at once, or when the open group has ended. */
  async runBetween<T>(use: () => T): Promise<T> {
    while (this.open) await this.ended()
    if (this.closed) throw this.closed
    return use()
  }

  /**
   * Runs the waiting writes, and rejects those that arrive from now on with this reason. Returns a promise
   * only when a group has to wait.
   */
  finish(reason: AppError): Promise<void> | undefined {
    this.closed = reason
    while (!this.open && this.queue.length > 0) this.runGroup()
    return this.open && this.finishLater()
  }

  /** Rolls back the open group, and rejects its members and all waiting and future writes. */
  close(reason: AppError): void {
    this.closed = reason
    this.open?.abandon(reason)
    for (const { reject } of this.queue.splice(0)) reject(reason)
  }

  private async finishLater(): Promise<void> {
    while (this.open || this.queue.length > 0)
      if (this.open) await this.ended()
      else this.runGroup()
  }

  private ended(): Promise<void> {
    return new Promise((resolve) => this.afterGroup.push(resolve))
  }

  private schedule(): void {
    if (this.scheduled || this.paused || this.open) return
    this.scheduled = true
    // After the I/O of this turn, so that all requests that arrived together are here; adds no wait to a lone
    // one.
    setImmediate(() => {
      this.scheduled = false
      if (this.paused || this.open) return
      if (this.queue.length > 0) this.runGroup()
      if (this.queue.length > 0) this.schedule()
    })
  }

  private runGroup(): void {
    this.open = new WriteGroup(this.parts)
    this.open.run()
  }

  private endGroup(): void {
    this.open = undefined
    const waiting = this.afterGroup
    if (waiting.length > 0) this.afterGroup = []
    for (const resolve of waiting) resolve()
    if (this.queue.length > 0) this.schedule()
  }
}
