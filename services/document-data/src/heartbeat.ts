import { isTokenFresh } from '@sheaf/auth/caller-token'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import { HomesServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { Context } from './context'

/** Directory takes an instance for dead after 30 s without a report. */
const REPORT_MS = 10_000
const RETRY_MS = 500
/** A token that ends sooner than this is not used any more. */
const MARGIN_MS = 5_000

/** What an instance says of itself. */
export interface HomeIdentity {
  readonly name: string
  /** `host:port` at which others reach it. */
  readonly address: string
  readonly serviceKey: string
}

/** Tells directory, again and again, that this instance lives and how much room it has. */
export class HomeReports implements AsyncDisposable {
  private readonly access: AccessServiceClientImpl
  private readonly homes: HomesServiceClientImpl
  private token = { text: '', endsAt: 0 }
  private timer: NodeJS.Timeout | undefined
  private failing = false
  private stopped = false

  /** Starts at once. */
  constructor(
    private readonly ctx: Pick<Context, 'documents' | 'directory' | 'log'>,
    private readonly identity: HomeIdentity,
  ) {
    this.access = new AccessServiceClientImpl(ctx.directory)
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
      if (this.failing) this.ctx.log.info('directory takes reports again')
      this.failing = false
    } catch (error) {
      if (!this.failing && !this.stopped)
        this.ctx.log.warn({ err: error }, 'directory takes no report; trying again')
      this.failing = true
      wait = RETRY_MS
    }
    if (!this.stopped) this.timer = setTimeout(() => void this.run(), wait)
  }

  private async report(): Promise<void> {
    const { name, address } = this.identity
    const freeBytes = await this.ctx.documents.lifeCycle.freeBytes()
    await this.homes.reportHome({ name, address, freeBytes }, { token: await this.getToken() })
  }

  private async getToken(): Promise<string> {
    if (isTokenFresh(this.token.endsAt, MARGIN_MS)) return this.token.text
    const { token, tokenExpiresAt } = await this.access.resolveAccess({
      credential: { $case: 'serviceKey', value: this.identity.serviceKey },
      document: '',
      site: '',
      neededRole: 0,
    })
    this.token = { text: token, endsAt: tokenExpiresAt }
    return token
  }
}
