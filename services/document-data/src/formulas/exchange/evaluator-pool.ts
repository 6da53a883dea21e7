import { FairShare, type Holder } from '@sheaf/kit/fair-share'
import type { EvaluatorHandlers, EvaluatorMessage } from '../../evaluator/evaluator-process'
import type { StartedEvaluator } from '../../evaluator/evaluators'
import type { ExitCause } from '../../processes/hosted-process'

/** Of the evaluators, one user may keep this fraction busy at once. */
const USER_DIVISOR = 2
/** How long a document waits for an evaluator while all are busy with other documents, or its user has enough. */
const WAIT_MS = 10_000

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
  /** Who keeps it busy; undefined while it is idle. */
  holder: Holder | undefined
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

/**
 * The evaluators of this instance: at most one for a document, which serves no other document. When all are in use, the
 * one that was used least recently ends for a document that needs one.
 */
export class EvaluatorPool implements Disposable {
  readonly figures: EvaluatorFigures = {
    started: 0,
    ended: { unused: 0, stopped: 0, memory: 0, failure: 0 },
  }
  private readonly sessions = new Map<string, EvaluatorSession>()
  private readonly waiting: (() => void)[] = []
  private readonly busy: FairShare

  constructor(
    /** Number of evaluators at most. */
    readonly size: number,
    /** Absent where no evaluator can be started: then nothing is tried, and cells remain pending. */
    private readonly start: StartEvaluator | undefined,
    private readonly onStarted?: (ms: number) => void,
  ) {
    this.busy = new FairShare(size, Math.ceil(size / USER_DIVISOR))
  }

  /** Number of running evaluators. */
  get running(): number {
    return this.sessions.size
  }

  /** Number of documents that wait for one. */
  get queued(): number {
    return this.waiting.length
  }

  /** Resident memory of all evaluators. */
  get residentBytes(): number {
    return [...this.sessions.values()].reduce((sum, session) => sum + session.residentBytes, 0)
  }

  /** The evaluator of a document, if it has one. */
  find(docId: string): EvaluatorSession | undefined {
    return this.sessions.get(docId)
  }

  /**
   * An evaluator for a document and the user whose write needs it, undefined for Sheaf itself; it must be released.
   * Undefined when none became free in time.
   */
  async acquire(
    docId: string,
    user: number | undefined,
    signal: AbortSignal,
  ): Promise<EvaluatorSession | undefined> {
    const until = Date.now() + WAIT_MS
    const holder = { document: docId, user }
    for (;;) {
      const session = this.busy.check(holder, 1)
        ? undefined
        : (this.find(docId) ?? this.make(docId))
      if (session) return this.take(session, holder)
      if (!this.start || signal.aborted || Date.now() >= until) return undefined
      await this.freed(until - Date.now(), signal)
    }
  }

  /** Returns an evaluator to the pool. */
  release(session: EvaluatorSession): void {
    if (session.holder) this.busy.give(session.holder, 1)
    session.holder = undefined
    session.usedAt = Date.now()
    if (!session.ended) session.setWorking(false)
    this.wakeAll()
  }

  /** Ends the evaluator of a document, if it has one. */
  end(docId: string): void {
    const session = this.sessions.get(docId)
    if (!session) return
    this.figures.ended.unused++
    this.forget(session)
    session.kill()
  }

  /** Ends all evaluators. */
  [Symbol.dispose](): void {
    for (const docId of [...this.sessions.keys()]) this.end(docId)
    this.wakeAll()
  }

  private take(session: EvaluatorSession, holder: Holder): EvaluatorSession {
    session.holder = holder
    this.busy.take(holder, 1)
    session.setWorking(true)
    return session
  }

  /** All that wait look again, in their order: the first ones may have to wait for their user's other evaluators. */
  private wakeAll(): void {
    for (const wake of this.waiting.splice(0)) wake()
  }

  /** A new evaluator; undefined while all are busy, or where none can be started. */
  private make(docId: string): EvaluatorSession | undefined {
    if (!this.start || (this.sessions.size >= this.size && !this.endOldest())) return undefined
    return this.open(docId, this.start)
  }

  private open(docId: string, start: StartEvaluator): EvaluatorSession {
    const session = new EvaluatorSession(docId, start, {
      onStarted: this.onStarted,
      onEnd: (ended, cause) => {
        if (this.sessions.get(ended.docId) !== ended) return
        this.figures.ended[endOf(cause)]++
        this.forget(ended)
      },
    })
    this.figures.started++
    if (!session.ended) this.sessions.set(docId, session)
    return session
  }

  private forget(session: EvaluatorSession): void {
    if (this.sessions.get(session.docId) === session) this.sessions.delete(session.docId)
    this.wakeAll()
  }

  /** Ends the idle evaluator that was used least recently; false when all are busy. */
  private endOldest(): boolean {
    const [oldest] = [...this.sessions.values()]
      .filter(({ holder }) => !holder)
      .sort((a, b) => a.usedAt - b.usedAt)
    if (!oldest) return false
    this.end(oldest.docId)
    return true
  }

  private freed(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', settle)
        const index = this.waiting.indexOf(settle)
        if (index >= 0) this.waiting.splice(index, 1)
        resolve()
      }
      const timer = setTimeout(settle, ms)
      signal.addEventListener('abort', settle)
      this.waiting.push(settle)
    })
  }
}

function endOf(cause: ExitCause): EvaluatorEnd {
  if (cause === 'memory') return 'memory'
  return cause === 'killed' ? 'stopped' : 'failure'
}
