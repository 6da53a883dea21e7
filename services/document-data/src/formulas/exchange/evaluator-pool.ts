import { FairQueue } from '@sheaf/kit/fair-queue'
import { FairShare } from '@sheaf/kit/fair-share'
import type { EvaluatorHandlers, EvaluatorMessage } from '../../evaluator/evaluator-process'
import type { StartedEvaluator } from '../../evaluator/evaluators'
import type { ExitCause } from '../../processes/hosted-process'

/** How long a document waits for an evaluator while all are busy with other documents. */
const WAIT_MS = 10_000
/** Changed rows of a table beyond which an evaluator reads its columns again. */
const MAX_STALE_ROWS = 5000

/** Starts an evaluator. Failing to start is reported by `onExit`. */
export type StartEvaluator = (handlers: EvaluatorHandlers) => StartedEvaluator

/** Receives the messages and the end of an evaluator. */
export interface SessionListener {
  onMessage(message: EvaluatorMessage, bytes: Buffer): void
  onExit(cause: ExitCause): void
}

/** What a pool learns of its evaluators. */
interface SessionEvents {
  onEnd(session: EvaluatorSession, cause: ExitCause): void
  /** Called at the first message, with the milliseconds since the start. */
  readonly onStarted?: (ms: number) => void
}

/** An evaluator that serves one document, and what it knows of the document. */
export class EvaluatorSession {
  /** The schema message that it has received. */
  schemaText = ''
  /** Refs of columns of which it has read stored cells. */
  readonly held = new Set<number>()
  /** Rows that have changed since its last exchange, by table ref. */
  readonly stale = new Map<number, Set<number>>()
  /** Tables, by ref, of which it has to forget all cells. */
  readonly dropped = new Set<number>()
  /** True once it has sent a message: its start takes time that is not a formula's. */
  hasAnswered = false
  /** True when it may hold cells of a transaction that was rolled back. */
  isLost = false
  /** Whose share of the evaluators it uses while it is in use. */
  user: number | undefined
  ended: ExitCause | undefined
  usedAt = Date.now()
  /** Receives its messages and its end while an exchange runs. */
  listener: SessionListener | undefined
  private readonly process: StartedEvaluator

  constructor(
    readonly docId: string,
    start: StartEvaluator,
    private readonly events: SessionEvents,
  ) {
    const begun = performance.now()
    this.process = start({
      onMessage: (message, bytes) => {
        if (!this.hasAnswered) this.events.onStarted?.(performance.now() - begun)
        this.listener?.onMessage(message, bytes)
      },
      onExit: ({ cause }) => {
        this.ended = cause
        this.events.onEnd(this, cause)
        this.listener?.onExit(cause)
      },
    })
  }

  /** Resident memory of the process; 0 when it is not known. */
  get residentBytes(): number {
    return this.process.residentBytes()
  }

  /** Lets the evaluator read changed rows again; all cells of their table if they are many. */
  noteRows(tableRef: number, rowIds: readonly number[]): void {
    if (this.dropped.has(tableRef)) return
    const rows = this.stale.get(tableRef) ?? new Set()
    this.stale.set(tableRef, rows)
    for (const id of rowIds) rows.add(id)
    if (rows.size > MAX_STALE_ROWS) this.dropped.add(tableRef)
  }

  /** Sends a message. */
  send(frame: Buffer): void {
    this.process.send(frame)
  }

  /** Ends the process at once. */
  kill(): void {
    this.process.kill()
  }

  /** See HostedProcess. */
  setWorking(works: boolean): void {
    this.process.setWorking(works)
  }
}

/**
 * Why evaluators end: `unused` when its document was closed or another one needs its place; `stopped` when it exceeded a
 * limit of time or output, or its write was given up; `memory` above its limit; `failure` by itself.
 */
export type EvaluatorEnd = 'unused' | 'stopped' | 'memory' | 'failure'

/** Counts of evaluators since the start of the service. */
export interface EvaluatorFigures {
  started: number
  readonly ended: Record<EvaluatorEnd, number>
}

/** For whom an evaluator computes. */
export interface EvaluatorUse {
  readonly user: number
  readonly document: string
}

/** A document that waits for an evaluator. */
interface Waiter extends EvaluatorUse {
  /** Ends the wait; without an evaluator when none became free. */
  readonly settle: (session?: EvaluatorSession) => void
}

/**
 * The evaluators of this instance: at most one for a document, which serves no other document. When all exist, the one
 * that was used least recently ends for a document that needs one. Each user has a fair share of them, and documents that
 * wait are served by user in turn. What no other user waits for is lent to users beyond their share, except for the last
 * one: a use may take seconds, for which others would wait.
 */
export class EvaluatorPool implements Disposable {
  readonly figures: EvaluatorFigures = {
    started: 0,
    ended: { unused: 0, stopped: 0, memory: 0, failure: 0 },
  }
  private readonly sessions = new Map<string, EvaluatorSession>()
  private readonly waiting = new FairQueue<Waiter>()
  /** Evaluators in use. */
  private readonly used: FairShare

  constructor(
    /** Number of evaluators at most. */
    readonly size: number,
    /** Absent where no evaluator can be started: then nothing is tried. */
    private readonly start: StartEvaluator | undefined,
    private readonly onStarted?: (ms: number) => void,
  ) {
    this.used = new FairShare(size)
  }

  /** Number of running evaluators. */
  get running(): number {
    return this.sessions.size
  }

  /** Number of documents that wait for one. */
  get queued(): number {
    return this.waiting.size
  }

  /** Resident memory of all evaluators. */
  get residentBytes(): number {
    return [...this.sessions.values()].reduce((sum, session) => sum + session.residentBytes, 0)
  }

  /** The evaluator of a document, if it has one. */
  find(docId: string): EvaluatorSession | undefined {
    return this.sessions.get(docId)
  }

  /** An evaluator for a document, which must be released; undefined when none became free in time. */
  async acquire(use: EvaluatorUse, signal: AbortSignal): Promise<EvaluatorSession | undefined> {
    if (signal.aborted || !this.start) return undefined
    return new Promise((resolve) => {
      const giveUp = () => waiter.settle()
      const timer = setTimeout(giveUp, WAIT_MS)
      const waiter: Waiter = {
        ...use,
        settle: (session) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', giveUp)
          this.waiting.remove(waiter)
          resolve(session)
        },
      }
      signal.addEventListener('abort', giveUp)
      this.waiting.add(waiter)
      this.serve()
    })
  }

  /** Returns an evaluator to the pool. */
  release(session: EvaluatorSession): void {
    this.used.give({ user: session.user }, 1)
    session.user = undefined
    session.usedAt = Date.now()
    if (!session.ended) session.setWorking(false)
    this.serve()
  }

  /** Ends the evaluator of a document, if it has one. */
  end(docId: string): void {
    const session = this.sessions.get(docId)
    if (!session) return
    this.figures.ended.unused++
    this.sessions.delete(docId)
    session.kill()
  }

  /** Ends all evaluators. */
  [Symbol.dispose](): void {
    for (const docId of [...this.sessions.keys()]) this.end(docId)
    for (const waiter of this.waiting.items) waiter.settle()
  }

  /** Gives evaluators to documents that wait, as far as there are any. */
  private serve(): void {
    for (;;) {
      const next = this.waiting.take((waiter) => this.mayUse(waiter)) ?? this.takeLent()
      if (!next) return
      const { user, document } = next
      this.used.take({ user }, 1)
      next.settle(this.use(document, user))
    }
  }

  private mayUse({ user }: EvaluatorUse): boolean {
    return this.used.check({ user }, 1) === undefined
  }

  /** The next document whose user is beyond their share. */
  private takeLent(): Waiter | undefined {
    return this.used.used + 1 < this.size ? this.waiting.take(() => true) : undefined
  }

  private use(docId: string, user: number): EvaluatorSession {
    let session = this.sessions.get(docId)
    if (session) session.setWorking(true)
    else {
      if (this.sessions.size >= this.size) this.endOldest()
      session = this.open(docId)
    }
    session.user = user
    return session
  }

  private open(docId: string): EvaluatorSession {
    if (!this.start) throw new Error('no evaluator can be started')
    const session = new EvaluatorSession(docId, this.start, {
      onStarted: this.onStarted,
      onEnd: (ended, cause) => {
        if (this.sessions.get(ended.docId) !== ended) return
        this.figures.ended[endOf(cause)]++
        this.sessions.delete(ended.docId)
      },
    })
    this.figures.started++
    if (!session.ended) this.sessions.set(docId, session)
    return session
  }

  /** Ends the idle evaluator that was used least recently: there is one, since not all are in use. */
  private endOldest(): void {
    const [oldest] = [...this.sessions.values()]
      .filter(({ user }) => user === undefined)
      .sort((a, b) => a.usedAt - b.usedAt)
    if (oldest) this.end(oldest.docId)
  }
}

function endOf(cause: ExitCause): EvaluatorEnd {
  if (cause === 'memory') return 'memory'
  return cause === 'killed' ? 'stopped' : 'failure'
}
