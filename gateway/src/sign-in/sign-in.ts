import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { Holder } from '@sheaf/kit/fair-share'
import type { Logger } from '@sheaf/kit/logger'
import { LinkOrigin, type SessionsService } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { networkOf } from '../limits/client-address'
import { TokenBuckets } from '../limits/token-buckets'
import { Mailer, type MailSettings } from './mailer'
import { Oidc, type OidcSettings } from './oidc'
import { ProtectedResource } from './protected-resource'

/**
 * Requests per minute of one address: for pages that cause work in directory or at the identity provider, and
 * for mails.
 */
const VISITS_PER_MINUTE = 120
const MAILS_PER_MINUTE = 10
/** Further mails in transit are dropped; the user can request another one. */
const MOST_MAILS = 50
const TIMEOUT_MS = 10_000

/** Settings for signing in. */
export interface SignInSettings {
  readonly publicUrl?: string
  readonly oidc?: OidcSettings
  readonly mail?: MailSettings
}

/** A request to a page. */
export interface Visitor {
  readonly holder: Holder
  address(): string
}

/** The dependencies of signing in. */
export interface SignInSources {
  readonly sessions: Pick<SessionsService, 'createSignInLink'>
  readonly system: SystemTokenSource
  readonly log: Logger
}

/** Signing in at this gateway: the available methods, their rate limits, and the mails in transit. */
export class SignIn implements AsyncDisposable {
  /** The identity provider; undefined without one. */
  readonly oidc?: Oidc
  /** The tools for agents, if the identity provider issues access tokens for them. */
  readonly resource?: ProtectedResource
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
    this.resource = this.oidc && new ProtectedResource(this.oidc, publicUrl)
    this.mailer = mail && new Mailer(mail, sources.log)
  }

  private readonly publicUrl: string

  /** The available methods besides links of the operator. */
  get offers(): { readonly oidc: boolean; readonly mail: boolean } {
    return { oidc: this.oidc !== undefined, mail: this.mailer !== undefined }
  }

  /**
   * Counts a page visit of an address, unless the browser has a session that was good lately: others of the same
   * network must not lock it out. Throws AppError `too_many` beyond the limit.
   */
  visit(visitor: Visitor): void {
    if (visitor.holder.user === undefined) requireLeft(this.visits, visitor.address())
  }

  /**
   * Mails a sign-in link if the user exists, after returning, so that neither the response nor its timing
   * reveals that. Throws AppError `not_found` when mails are not configured, `too_many` when the address has
   * requested too many.
   */
  mailLink(address: string, email: string, next: string): void {
    const { mailer, sending, sources } = this
    if (!mailer) throw notOffered()
    requireLeft(this.mails, address)
    if (sending.size >= MOST_MAILS) {
      sources.log.warn('mail dropped: too many mails in progress')
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
      // Not to the typed address, which may be a spelling that belongs to another user.
      const { token, email: to } = await sessions.createSignInLink(request, call)
      const url = `${this.publicUrl}/sign-in/link?token=${token}`
      await mailer.send({ to, subject: 'Sign in to Sheaf', text: mailText(url) })
    } catch (error) {
      const { reason = 'BUG', code } = toAppError(error) ?? {}
      // No such user, or one with too many links: neither is a fault.
      const isUsual = code === 'not_found' || code === 'too_many' || code === 'invalid'
      log[isUsual ? 'debug' : 'warn']({ reason }, 'failed to mail a sign-in link')
    }
  }
}

/** Returns the error for a method of signing in that is not configured. */
export const notOffered = (): AppError =>
  new AppError('not_found', 'SIGN_IN_NOT_OFFERED', 'this sign-in method is not configured')

function requireLeft(buckets: TokenBuckets, address: string): void {
  const { isRefused, retryAfterMs } = buckets.take(networkOf(address))
  if (!isRefused) return
  throw new AppError('too_many', 'RATE_LIMITED', 'too many requests, retry later', {
    retryAfterMs: String(Math.ceil(retryAfterMs)),
  })
}

const mailText = (
  url: string,
) => `You, or someone using your email address, requested a link to sign in to Sheaf.

Open this link within 15 minutes and confirm. It can be used once:

${url}

If you did not request it, ignore this mail. Without the link, no one can sign in.
`
