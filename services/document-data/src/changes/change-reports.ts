import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { Backoff } from '@sheaf/kit/backoff'
import type { Logger } from '@sheaf/kit/logger'
import type { HomeChange, HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import { causes, type LogEntry } from '../store/log/log'

/** Changes are gathered for so many milliseconds. */
const GATHER_MS = 2_000
const RETRY = { firstMs: 1_000, longestMs: 60_000 }
const ANSWER_MS = 5_000
/** Documents in one call. */
const MAX_CALL = 1_000
/** Documents with an unreported change. Beyond it, the one that has waited longest is forgotten. */
const MAX_WAITING = 10_000

/** Dependencies of ChangeReports. */
interface ChangeReportsParts {
  readonly homes: Pick<HomesService, 'reportHomeChanges'>
  readonly systemTokens: Pick<SystemTokenSource, 'token'>
  readonly log: Logger
  /** Another time to gather changes, for tests. */
  readonly gatherMs?: number
}

/**
 * Reports to directory when, and by whom, the contents of documents were changed last, for listings. Outside of the requests
 * that change them: a report that is lost with the process is made up for by the next change.
 */
export class ChangeReports implements AsyncDisposable {
  private readonly waiting = new Map<string, HomeChange>()
  private readonly backoff = new Backoff(RETRY)
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | undefined
  private ended = false

  constructor(private readonly parts: ChangeReportsParts) {}

  /** Notes entries of the log of a document: neither its creation, nor values that formulas computed later. */
  note(docId: string, entries: readonly LogEntry[]): void {
    const last = entries.findLast(({ seq, cause }) => seq > 1 && cause !== causes.formula)
    if (!last || this.ended) return
    this.add({ docId, timeMs: last.time, userId: last.user })
    this.schedule(this.parts.gatherMs ?? GATHER_MS)
  }

  /** Reports what is noted, until a report fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.ended = true
    clearTimeout(this.timer)
    await this.running
    let left = this.waiting.size
    while (left > 0) {
      await this.report()
      left = this.waiting.size < left ? this.waiting.size : 0
    }
  }

  private add(change: HomeChange): void {
    this.waiting.delete(change.docId)
    this.waiting.set(change.docId, change)
    if (this.waiting.size <= MAX_WAITING) return
    for (const oldest of this.waiting.keys()) {
      this.waiting.delete(oldest)
      return
    }
  }

  private schedule(ms: number): void {
    if (this.ended) return
    this.timer ??= setTimeout(() => {
      this.running = this.report()
    }, ms).unref()
  }

  private async report(): Promise<void> {
    const changes = [...this.waiting.values()].slice(0, MAX_CALL)
    for (const { docId } of changes) this.waiting.delete(docId)
    let wait = 0
    if (changes.length > 0)
      try {
        await this.call(changes)
        this.backoff.reset()
      } catch (error) {
        const level = this.backoff.isFresh && !this.ended ? 'warn' : 'debug'
        this.parts.log[level]({ err: error }, 'failed to report changes to directory, retrying')
        wait = this.backoff.nextDelay()
        for (const change of changes) if (!this.waiting.has(change.docId)) this.add(change)
      }
    this.timer = undefined
    if (this.waiting.size > 0) this.schedule(wait)
  }

  private async call(changes: HomeChange[]): Promise<void> {
    const { homes, systemTokens } = this.parts
    const token = await systemTokens.token()
    await homes.reportHomeChanges({ changes }, { token, deadline: Date.now() + ANSWER_MS })
  }
}
