import { SystemTokenSource } from '@sheaf/auth/system-token'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import { HomesServiceClientImpl, ReportHomeRequest } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { Context } from './context'

/** Directory considers an instance dead after 30 s without a heartbeat. */
const REPORT_MS = 10_000
const RETRY_MS = 500

/** Contents of a heartbeat. */
export interface HomeIdentity {
  readonly name: string
  /** `host:port` at which other services reach the instance. */
  readonly address: string
  readonly serviceKey: string
}

/** Reports periodically to directory that this instance is alive and how much capacity it has. */
export class HomeReports implements AsyncDisposable {
  private readonly tokens: SystemTokenSource
  private readonly homes: HomesServiceClientImpl
  private timer: NodeJS.Timeout | undefined
  private failing = false
  private stopped = false

  /** Sends the first heartbeat immediately. */
  constructor(
    private readonly ctx: Pick<Context, 'documents' | 'directory' | 'log'>,
    private readonly identity: HomeIdentity,
  ) {
    const access = new AccessServiceClientImpl(ctx.directory)
    this.tokens = new SystemTokenSource(access, identity.serviceKey)
    this.homes = new HomesServiceClientImpl(ctx.directory)
    void this.run()
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    return Promise.resolve()
  }

  private async run(): Promise<void> {
    let wait = REPORT_MS
    try {
      await this.report()
      if (this.failing) this.ctx.log.info('directory accepts instance reports again')
      this.failing = false
    } catch (error) {
      if (!this.failing && !this.stopped)
        this.ctx.log.warn({ err: error }, 'directory does not accept instance reports, retrying')
      this.failing = true
      wait = RETRY_MS
    }
    if (!this.stopped) this.timer = setTimeout(() => void this.run(), wait)
  }

  private async report(): Promise<void> {
    const { name, address } = this.identity
    const freeBytes = await this.ctx.documents.lifeCycle.freeBytes()
    const report = ReportHomeRequest.fromPartial({ name, address, freeBytes })
    await this.homes.reportHome(report, { token: await this.tokens.token() })
  }
}
