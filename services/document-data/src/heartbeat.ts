import { instant } from '@sheaf/kit/lease-clock'
import { DOCUMENT_PROTOCOL as protocol } from '@sheaf/protos/protocol'
import { ReportHomeRequest, type ReportHomeResponse } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { Context } from './context'
import { formats } from './store/sqlite/migrations/index'

/** Directory considers an instance dead after 30 s without a heartbeat. */
const REPORT_MS = 10_000
/** A lease lasts for 2 s. */
const RENEW_MS = 500
const RETRY_MS = 500
/** Time limit of a report. */
const ANSWER_MS = 2_000
/** Milliseconds between two looks at what instances without a lease have left undone. */
const TAKE_OVER_MS = 5_000

/**
 * Reports periodically to directory that this instance is alive and how much capacity it has. With replication, the
 * reports renew the lease of this instance, and their answers name the instances whose documents need another one.
 */
export class HomeReports implements AsyncDisposable {
  private address = ''
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | undefined
  private failing = false
  private stopped = false
  private takingOver: Promise<void> | undefined
  private takenOver = { homes: '', at: -Infinity }

  constructor(
    private readonly ctx: Pick<
      Context,
      | 'documents'
      | 'home'
      | 'homes'
      | 'systemTokens'
      | 'lease'
      | 'leaseThread'
      | 'adoptions'
      | 'handOvers'
      | 'log'
    >,
  ) {}

  /**
   * Sends the first heartbeat immediately.
   * @param address `host:port` at which other services reach the instance
   */
  start(address: string): void {
    this.address = address
    this.running = this.run()
  }

  /** Ends the lease, so that other instances take over at once: this one must have answered its last call. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await this.running
    await this.takingOver
    await this.ctx.leaseThread?.[Symbol.asyncDispose]()
    if (this.ctx.lease) await this.report({ released: true }).catch(() => {})
  }

  private async run(): Promise<void> {
    const { lease, log } = this.ctx
    let wait = lease ? RENEW_MS : REPORT_MS
    try {
      await this.reportOnce()
      if (this.failing) log.info('directory accepts instance reports again')
      this.failing = false
    } catch (error) {
      lease?.failed()
      if (!this.failing && !this.stopped)
        log.warn({ err: error }, 'directory does not accept instance reports, retrying')
      this.failing = true
      wait = RETRY_MS
    }
    const next = () => {
      this.running = this.run()
    }
    if (!this.stopped) this.timer = setTimeout(next, wait)
  }

  private async reportOnce(): Promise<void> {
    const { lease, leaseThread, adoptions, handOvers } = this.ctx
    const { sentAt, answer, request, token } = await this.report({})
    if (!lease) return
    if (answer.leaseMs === 0) throw new Error('another process has the lease of this instance')
    lease.allowFormat(answer.writeFormat)
    lease.extend(sentAt, answer.leaseMs)
    leaseThread?.reported({ report: ReportHomeRequest.encode(request).finish(), token })
    adoptions?.noteEnded(answer.endedHomes)
    this.takeOver(answer.endedHomes)
    if (answer.drained) handOvers?.drain()
  }

  private async report(change: { readonly released?: boolean }) {
    const { documents, home: name, homes, systemTokens, lease } = this.ctx
    const { address } = this
    const freeBytes = await documents.lifeCycle.freeBytes()
    const token = await systemTokens.token()
    const sentAt = instant()
    const leased = lease && {
      replicated: true,
      startId: lease.startId,
      timeMs: sentAt.wall,
      ...change,
    }
    const request = ReportHomeRequest.fromPartial({
      name,
      address,
      freeBytes,
      protocol,
      formatMin: formats.min,
      formatMax: formats.max,
      ...leased,
    })
    const deadline = Date.now() + ANSWER_MS
    const answer: ReportHomeResponse = await homes.reportHome(request, { token, deadline })
    return { sentAt, answer, request, token }
  }

  /** Publishes what instances whose lease has ended have not published: what that takes is on no disk of theirs. */
  private takeOver(names: readonly string[]): void {
    if (names.length === 0 || this.takingOver) return
    const homes = names.join(' ')
    const isKnown = homes === this.takenOver.homes
    if (isKnown && performance.now() - this.takenOver.at < TAKE_OVER_MS) return
    this.takenOver = { homes, at: performance.now() }
    const { documents, log } = this.ctx
    this.takingOver = documents
      .takeOver(names)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'failed to take over unpublished changes, retrying')
      })
      .finally(() => (this.takingOver = undefined))
  }
}
