import { AppError } from '@sheaf/kit/errors'
import type { Connection } from './connections'
import { spoilsConnection, translateSqliteError } from './sqlite-errors'

/** Writes in one transaction at most. */
const GROUP_SIZE = 256
/** Milliseconds for which a stage may keep the transaction open. */
const STAGE_MS = 30_000

/**
 * The stages of a group of writes, in order. `deriving` and `appending` may wait for something outside of the
 * document; the others are synchronous.
 */
export type GroupStage =
  'applying' | 'deriving' | 'recording' | 'appending' | 'committing' | 'answered'

/**
 * Returns the signal that is aborted when a group is given up. Creating it takes as long as the rest of a small group,
 * so only a stage that waits calls this.
 */
export type StageSignal = () => AbortSignal

/** Hooks of the owner of the connection. What `derive`, `record` and `append` throw fails the whole group. */
export interface GroupHooks {
  /** Saves the state in memory; the function returned restores it when the member fails. */
  memberStarts(): () => void
  /** True when the group takes no further member: what the last one wrote has to be derived first. */
  isFull?(): boolean
  /**
   * Computes what depends on the writes, within their transaction. While the promise is pending, the
   * transaction stays open and only the writes of this document wait.
   */
  derive?(signal: StageSignal): Promise<void> | undefined
  /** Adds the writes to the log, within the transaction. */
  record(): void
  /** Stores the log elsewhere before the transaction is committed. Waits as `derive` does. */
  append?(signal: StageSignal): Promise<void> | undefined
  /**
   * Called when the transaction cannot be committed although `append` has stored its log: resolves when the writes are
   * in the document by other means. The connection is not used any more.
   */
  recover?(): Promise<void>
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

/** Thrown by a write that has to see what is derived from earlier writes of its group: it begins the next group. */
export class NextGroup extends Error {}

/** A write that waits for its group. */
export interface Member {
  /** Does the work; the function returned resolves the call with its result. */
  readonly run: () => () => void
  readonly signal: AbortSignal | undefined
  /** True for one that is only to show what it would do: its group, which has no other member, is rolled back. */
  readonly isPreview: boolean
  /** Arrival time; 0 without an observer. */
  readonly since: number
  readonly reject: (error: unknown) => void
}

/** A member that has done its work; `settle` is called once that is on disk. */
interface DoneMember {
  readonly member: Member
  readonly settle: () => void
}

/** Dependencies of WriteGroup. */
export interface WriteGroupParts {
  readonly connection: Connection
  readonly hooks: GroupHooks
  readonly observe: ((group: CommittedGroup) => void) | undefined
  /** Milliseconds after which the group takes no further member. */
  readonly groupMs: number
  /** The waiting writes; the group takes its members from the front. */
  readonly queue: Member[]
  /** Called once all members are answered. */
  readonly ended: () => void
}

/**
 * One transaction that holds the writes of several callers, as a state machine: it applies them, lets the
 * owner derive, record and append, commits, and answers every member exactly once. It runs synchronously
 * unless a stage waits.
 */
export class WriteGroup {
  /** The stage that runs or waits. */
  stage: GroupStage = 'applying'
  private readonly done: DoneMember[] = []
  private givenUp: AbortController | undefined
  private timer: NodeJS.Timeout | undefined
  private isFull = false
  private hasAppended = false
  private begun = 0
  private applied = 0

  constructor(private readonly parts: WriteGroupParts) {}

  /** Begins the transaction and runs all stages. */
  run(): void {
    if (this.apply()) this.proceed(0)
  }

  /** Rolls back the open transaction and rejects the members. Does nothing once they are answered. */
  abandon(reason: AppError): void {
    if (this.stage === 'answered') return
    // What is being appended may be in the log already.
    const isUnknown = this.stage === 'appending' && this.parts.hooks.recover !== undefined
    this.fail(this.members, isUnknown ? unknownOutcome(reason) : reason)
  }

  private get isPreview(): boolean {
    return this.done[0]?.member.isPreview === true
  }

  private get members(): Member[] {
    return this.done.map(({ member }) => member)
  }

  /** True when the transaction is open and holds what its members have written. */
  private apply(): boolean {
    const { connection, queue, groupMs } = this.parts
    let current: Member | undefined
    try {
      connection.prepare('BEGIN IMMEDIATE').run()
      this.begun = performance.now()
      const until = this.begun + groupMs
      for (let taken = 0; taken < GROUP_SIZE && performance.now() < until; taken++) {
        current = queue.shift()
        if (!current) break
        if (current.isPreview && this.done.length > 0) {
          queue.unshift(current)
          break
        }
        this.runMember(current)
        if (this.isFull || this.parts.hooks.isFull?.()) break
      }
      return true
    } catch (error) {
      // Without a member BEGIN itself failed: then all waiting writes fail.
      const failed = this.members
      if (current) failed.push(current)
      this.fail(failed.length > 0 ? failed : queue.splice(0), error)
      return false
    }
  }

  /** Runs one write in its savepoint. Throws only when the transaction of the group was rolled back. */
  private runMember(member: Member): void {
    if (member.signal?.aborted) {
      member.reject(new AppError('timeout', 'CALL_ENDED', 'the call ended before it was run'))
      return
    }
    const { connection, hooks } = this.parts
    const undo = hooks.memberStarts()
    connection.prepare('SAVEPOINT member').run()
    try {
      const settle = member.run()
      connection.prepare('RELEASE member').run()
      this.done.push({ member, settle })
      this.isFull = member.isPreview
    } catch (error) {
      if (!connection.db.inTransaction) throw error
      connection.prepare('ROLLBACK TO member').run()
      connection.prepare('RELEASE member').run()
      undo()
      if (error instanceof NextGroup) {
        this.parts.queue.unshift(member)
        this.isFull = true
        return
      }
      if (spoilsConnection(error)) throw error
      member.reject(translateSqliteError(error))
    }
  }

  /** Runs the stages from this one on, up to one that waits. */
  private proceed(from: number): void {
    try {
      for (let next = from; next < STAGES.length; next++) {
        const stage = STAGES[next] ?? 'committing'
        if (stage === 'recording' && this.isPreview) return this.discard()
        this.stage = stage
        const waiting =
          this.done.length > 0 || stage === 'committing' ? this.runStage(stage) : undefined
        if (waiting) return this.wait(waiting, next + 1)
      }
    } catch (error) {
      if (this.stage === 'committing' && this.hasAppended && this.parts.hooks.recover)
        return this.recover(error)
      return this.fail(this.members, error)
    }
    this.answer()
  }

  private runStage(stage: (typeof STAGES)[number]): Promise<void> | undefined {
    const { connection, hooks } = this.parts
    switch (stage) {
      case 'deriving':
        return hooks.derive?.(this.signal)
      case 'recording':
        hooks.record()
        if (this.parts.observe) this.applied = performance.now()
        return undefined
      case 'appending': {
        const appending = hooks.append?.(this.signal)
        this.hasAppended = appending !== undefined
        return appending
      }
      case 'committing':
        connection.prepare('COMMIT').run()
        return undefined
    }
  }

  /** Continues with the next stage when the promise is fulfilled, unless the group was given up meanwhile. */
  private wait(waiting: Promise<void>, next: number): void {
    const isOver = () => this.stage === 'answered'
    this.timer = setTimeout(() => this.abandon(tooLong()), STAGE_MS)
    waiting.then(
      () => {
        clearTimeout(this.timer)
        if (!isOver()) this.proceed(next)
      },
      (error: unknown) => {
        clearTimeout(this.timer)
        if (!isOver()) this.fail(this.members, error)
      },
    )
  }

  private readonly signal: StageSignal = () => (this.givenUp ??= new AbortController()).signal

  private answer(): void {
    const { hooks, ended } = this.parts
    this.measure()
    this.stage = 'answered'
    try {
      hooks.committed()
    } catch (error) {
      // The writes are on disk, so they succeed; only what the owner has in memory is in doubt.
      hooks.spoiled(error)
    }
    for (const { settle } of this.done) settle()
    ended()
  }

  /** Answers a preview with what is derived by now, and rolls it back. */
  private discard(): void {
    const { hooks, ended } = this.parts
    for (const { settle } of this.done) settle()
    this.stage = 'answered'
    const isUndone = this.rollBack()
    hooks.undone()
    ended()
    if (!isUndone) hooks.spoiled(new Error('a preview could not be rolled back'))
  }

  /** The writes are in the log, so they have not failed: they are answered when they are in the document again. */
  private recover(cause: unknown): void {
    const { hooks, ended } = this.parts
    this.stage = 'answered'
    this.rollBack()
    hooks.undone()
    ended()
    hooks.spoiled(cause)
    hooks.recover?.().then(
      () => {
        for (const { settle } of this.done) settle()
      },
      (error: unknown) => {
        // Not by its own reason, which may say that the writes had no effect.
        const reason = unknownOutcome(error)
        for (const { reject } of this.members) reject(reason)
      },
    )
  }

  /** Returns false when that failed. */
  private rollBack(): boolean {
    const { connection } = this.parts
    try {
      if (connection.db.inTransaction) connection.prepare('ROLLBACK').run()
      return true
    } catch {
      return false
    }
  }

  private measure(): void {
    const first = this.done[0]?.member
    if (!first) return
    this.parts.observe?.({
      writes: this.done.length,
      waitMs: this.begun - first.since,
      applyMs: this.applied - this.begun,
      commitMs: performance.now() - this.applied,
    })
  }

  private fail(members: readonly Member[], cause: unknown): void {
    const { hooks, ended } = this.parts
    this.stage = 'answered'
    clearTimeout(this.timer)
    const spoiled = !this.rollBack() || spoilsConnection(cause)
    this.givenUp?.abort(cause)
    hooks.undone()
    const reason = translateSqliteError(cause)
    for (const { reject } of members) reject(reason)
    ended()
    if (spoiled) hooks.spoiled(cause)
  }
}

/** The stages after `applying`, in order. */
const STAGES = ['deriving', 'recording', 'appending', 'committing'] as const

function unknownOutcome(cause: unknown): AppError {
  const error = new AppError(
    'unavailable',
    'LOG_UNAVAILABLE',
    'the write may have been stored, retry later',
    { retryAfterMs: '1000' },
  )
  error.cause = cause
  return error
}

function tooLong(): AppError {
  return new AppError('unavailable', 'DOCUMENT_BUSY', 'the write took too long, retry later', {
    retryAfterMs: '1000',
  })
}
