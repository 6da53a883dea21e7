import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'
import { findDeno, NO_DENO } from '../../evaluator/deno'
import type { DocumentReader } from '../../store/document'
import { callEnded } from '../../store/reads/record-chunks'
import { columnsOf } from '../dependencies/formula-columns'
import {
  EvaluatorPool,
  type EvaluatorSession,
  type StartEvaluator,
} from '../exchange/evaluator-pool'
import { Exchange, type ExchangeRequest } from '../exchange/exchange'
import { unfinished, type UserMessage } from '../exchange/messages'
import type { ComputeLimits } from '../formula-limits'
import { describeChecked, readCells, type CheckedFormula } from './checked-formula'
import { checkCompiled } from './compiled-check'
import { planCheck, type CheckPlan, type FormulaCheckRequest } from './check-plan'

/** Checks of all documents at once, those that wait included. */
const MAX_CHECKS = 16
/** How long an evaluator waits for the next check of its document. */
const IDLE_MS = 60_000
/** How long a check goes on whose caller has gone: an evaluator that answers soon serves the next check. */
const GRACE_MS = 300
const RESOURCE = { what: 'checks of formulas', retryAfterMs: '1000' }

/** Runs a function on one moment of a document, which lasts until its promise has settled. */
export type ReadMoment = <T>(run: (doc: DocumentReader) => Promise<T>) => Promise<T>

/** Who asks for a check. */
export interface CheckCaller {
  readonly userId: number
  readonly signal: AbortSignal
  /** The name `user` of trigger formulas. */
  readonly user?: UserMessage
}

interface CheckCall extends CheckCaller {
  readonly request: FormulaCheckRequest
}

/**
 * Computes formulas that are not stored. The evaluators are others than those of writes, so that no write waits for a check, and
 * there are half as many.
 */
export class FormulaChecks implements Disposable {
  readonly pool: EvaluatorPool
  private readonly shares = new FairShare(MAX_CHECKS)
  /** Of each document with checks, the end of the last one. */
  private readonly last = new Map<string, Promise<unknown>>()
  /** The log position of the cells that an evaluator holds. */
  private readonly positions = new WeakMap<EvaluatorSession, number>()
  private readonly idle = new Map<string, NodeJS.Timeout>()

  constructor(
    evaluators: number,
    private readonly limits: Pick<ComputeLimits, 'computeMs' | 'compiles'>,
    /** Absent where no evaluator can be started. */
    private readonly start?: StartEvaluator,
  ) {
    this.pool = new EvaluatorPool(Math.max(1, Math.floor(evaluators / 2)), start)
  }

  /**
   * Checks a formula; the checks of a document run one after the other. Throws what `planCheck` throws, `too_many` and
   * `unavailable` when too many checks run, and `unavailable` where formulas that need Python cannot be computed.
   */
  async check(
    request: FormulaCheckRequest,
    caller: CheckCaller,
    read: ReadMoment,
  ): Promise<CheckedFormula> {
    const holder = { user: caller.userId, document: request.docId }
    const full = this.shares.check(holder, 1)
    if (full) throw toBusyError(full, RESOURCE)
    this.shares.take(holder, 1)
    try {
      return await this.inTurn(request.docId, () => this.run(request, caller, read))
    } finally {
      this.shares.give(holder, 1)
    }
  }

  /** Ends the evaluator of a document, if it has one. */
  end(docId: string): void {
    clearTimeout(this.idle.get(docId))
    this.idle.delete(docId)
    this.pool.end(docId)
  }

  /** Ends all evaluators. */
  [Symbol.dispose](): void {
    for (const timer of this.idle.values()) clearTimeout(timer)
    this.idle.clear()
    this.pool[Symbol.dispose]()
  }

  private async inTurn<T>(docId: string, run: () => Promise<T>): Promise<T> {
    const before = this.last.get(docId)
    const mine = before ? before.then(run, run) : run()
    this.last.set(docId, mine)
    try {
      return await mine
    } finally {
      if (this.last.get(docId) === mine) this.last.delete(docId)
    }
  }

  private async run(
    request: FormulaCheckRequest,
    { userId, signal, user }: CheckCaller,
    read: ReadMoment,
  ): Promise<CheckedFormula> {
    const compiled = await this.tryCompiled(request, read)
    if (signal.aborted) throw callEnded()
    if (compiled) return compiled
    using ended = endLater(signal)
    const call = { request, userId, user, signal: ended.signal }
    // The evaluator may have ended by itself because of a formula that was checked before: the second one is new.
    const checked = (await this.tryOnce(call, read)) ?? (await this.tryOnce(call, read))
    if (signal.aborted) throw callEnded()
    return checked ?? { syntaxErrors: [], unknownNames: [], cells: [], stopped: 'memory' }
  }

  /** Undefined for a check that needs an evaluator. */
  private async tryCompiled(
    request: FormulaCheckRequest,
    read: ReadMoment,
  ): Promise<CheckedFormula | undefined> {
    if (!this.limits.compiles) return undefined
    return read((doc) => Promise.resolve(checkCompiled(doc, planCheck(doc, request))))
  }

  /** Undefined when the evaluator has ended by itself. */
  private async tryOnce(call: CheckCall, read: ReadMoment): Promise<CheckedFormula | undefined> {
    const { signal } = call
    const { docId } = call.request
    if (signal.aborted) throw callEnded()
    if (!this.start) throw notComputed()
    clearTimeout(this.idle.get(docId))
    const session = await this.pool.acquire({ user: call.userId, document: docId }, signal)
    if (!session) throw signal.aborted ? callEnded() : toBusyError('whole', RESOURCE)
    try {
      const checked = await read((doc) => this.exchange(session, doc, call))
      if (!checked && session.ended === 'start') throw notComputed()
      return checked
    } finally {
      this.pool.release(session)
      this.idle.set(docId, setTimeout(() => this.end(docId), IDLE_MS).unref())
    }
  }

  private async exchange(
    session: EvaluatorSession,
    doc: DocumentReader,
    { request, user, signal }: CheckCall,
  ): Promise<CheckedFormula | undefined> {
    const plan = planCheck(doc, request)
    const { schema, unstored } = plan
    if (this.positions.get(session) !== doc.seq) session.isLost = true
    this.positions.set(session, doc.seq)
    const { computeMs } = this.limits
    const exchange = new Exchange(
      session,
      { connection: doc.connection, schema, unstored },
      { columnMs: computeMs / 2, totalMs: computeMs },
    )
    const outcome = await exchange.run({ ...requestOf(plan), user }, signal)
    if (outcome.kind === 'failed') return undefined
    const names = describeChecked(plan, exchange.checked)
    if (outcome.kind === 'done')
      return { ...names, cells: readCells(doc, plan, { ...outcome, syntax: names.syntaxErrors }) }
    return { ...names, cells: [], stopped: outcome.kind === 'stopped' ? outcome.reason : 'time' }
  }
}

/** The column is computed with the new formula wherever the formula, or one that it reads, needs it. */
function requestOf({
  schema,
  column,
  isTrigger,
  rowIds,
  dependents,
}: CheckPlan): Omit<ExchangeRequest, 'user'> {
  const { ref } = column
  const { pending, stopped } = unfinished(columnsOf(schema).computed)
  // A trigger formula does not run for cells that others read.
  const changed = isTrigger ? [] : [ref, ...dependents]
  const isStopped = new Set(stopped.map((of) => of.ref))
  return {
    dirty: [{ ref, rows: rowIds }],
    pending: [
      ...pending.filter((of) => !changed.includes(of.ref)),
      ...changed.filter((of) => !isStopped.has(of)).map((of) => ({ ref: of, after: 0 })),
    ],
    stopped,
    check: ref,
  }
}

/** A signal that is aborted a little after another one. */
function endLater(signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const begin = () => (timer = setTimeout(() => controller.abort(), GRACE_MS))
  if (signal.aborted) controller.abort()
  else signal.addEventListener('abort', begin)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal.removeEventListener('abort', begin)
    },
  }
}

const notComputed = () =>
  new AppError(
    'unavailable',
    'FORMULAS_UNAVAILABLE',
    findDeno() ? 'the evaluator of formulas cannot be started' : NO_DENO,
    { retryAfterMs: '60000' },
  )
