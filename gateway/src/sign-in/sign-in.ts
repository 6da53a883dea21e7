import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import { LinkOrigin, type SessionsService } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { networkOf } from '../limits/client-address'
import { TokenBuckets } from '../limits/token-buckets'
import { Mailer, type MailSettings } from './mailer'
import { Oidc, type OidcSettings } from './oidc'

/** What one address may ask for in a minute: pages that make directory or the identity provider work, and mails. */
const VISITS_PER_MINUTE = 120
const MAILS_PER_MINUTE = 10
/** More that are on their way at once are dropped: whoever waits for one asks again. */
const MOST_MAILS = 50
const TIMEOUT_MS = 10_000

/** How people can sign in. */
export interface SignInSettings {
  readonly publicUrl?: string
  readonly oidc?: OidcSettings
  readonly mail?: MailSettings
}

/** What signing in needs of the rest of the gateway. */
export interface SignInSources {
  readonly sessions: Pick<SessionsService, 'createSignInLink'>
  readonly system: SystemTokenSource
  readonly log: Logger
}

/** How people sign in at this gateway: what is offered, how often one may ask, and the mails that are on their way. */
export class SignIn implements AsyncDisposable {
  /** The identity provider; undefined when there is none. */
  readonly oidc?: Oidc
  private readonly mailer?: Mailer
  private readonly visits = new TokenBuckets('sign-in', VISITS_PER_MINUTE)
  private readonly mails = new TokenBuckets('sign-in-mail', MAILS_PER_MINUTE)
  private readonly sending = new Set<Promise<void>>()

  constructor(
    { publicUrl = '', oidc, mail }: SignInSettings,
    private readonly sources: SignInSources,
  ) {
    this.publicUrl = publicUrl
    this.oidc = oidc && new Oidc(oidc, publicUrl, sources.log)
    this.mailer = mail && new Mailer(mail, sources.log)
  }

  private readonly publicUrl: string

  /** What is offered besides links of the operator. */
  get offers(): { readonly oidc: boolean; readonly mail: boolean } {
    return { oidc: this.oidc !== undefined, mail: this.mailer !== undefined }
  }

  /** Counts a visit from an address. Throws AppError `too_many` when there were too many. */
  visit(address: string): void {
    requireLeft(this.visits, address)
  }

  /**
   * Mails a link if there is such a user, after it has returned: so neither the answer nor its time tells whether there is.
   * Throws AppError `not_found` when no mails are sent here, `too_many` when the address has asked for too many.
   */
  mailLink(address: string, email: string, next: string): void {
    const { mailer, sending, sources } = this
    if (!mailer) throw notOffered()
    requireLeft(this.mails, address)
    if (sending.size >= MOST_MAILS) {
      sources.log.warn('too many mails are on their way; one is not sent')
      return
    }
    const done = this.send(mailer, email, next).finally(() => sending.delete(done))
    sending.add(done)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.sending)
  }

  private async send(mailer: Mailer, email: string, next: string): Promise<void> {
    const { sessions, system, log } = this.sources
    try {
      const call = { token: await system.token(), deadline: Date.now() + TIMEOUT_MS }
      const request = { email, next, origin: LinkOrigin.MAIL }
      // Not to the address that was typed, which may be spelt so that it is somebody else's.
      const { token, email: to } = await sessions.createSignInLink(request, call)
      const url = `${this.publicUrl}/sign-in/link?token=${token}`
      await mailer.send({ to, subject: 'Sign in to Sheaf', text: mailText(url) })
    } catch (error) {
      const { reason = 'BUG', code } = toAppError(error) ?? {}
      // Nobody by that name, or somebody who has links enough: neither is a fault of anybody here.
      const isUsual = code === 'not_found' || code === 'too_many' || code === 'invalid'
      log[isUsual ? 'debug' : 'warn']({ reason }, 'no link was mailed')
    }
  }
}

/** The error for a way to sign in that is not set up. */
export const notOffered = (): AppError =>
  new AppError('not_found', 'SIGN_IN_NOT_OFFERED', 'this way to sign in is not set up here')

function requireLeft(buckets: TokenBuckets, address: string): void {
  const { isRefused, retryAfterMs } = buckets.take(networkOf(address))
  if (!isRefused) return
  throw new AppError('too_many', 'RATE_LIMITED', 'too many requests, try again later', {
    retryAfterMs: String(Math.ceil(retryAfterMs)),
  })
}

const mailText = (
  url: string,
) => `Somebody, most likely you, wants to sign in to Sheaf with this email address.

Open this link within 15 minutes and confirm; it works once:

${url}

If it was not you, do nothing: without the link nobody gets in.
`
