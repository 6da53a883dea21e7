import { documentRoleError } from '@sheaf/auth/require-access'
import { retry } from '@sheaf/kit/backoff'
import { AppError, toAppError } from '@sheaf/kit/errors'
import { roleAtLeast, type NeededRole } from '@sheaf/auth/roles'
import type { CallContext } from '@sheaf/protos/call'
import type { Grant, GrantedDocument } from '../access/access-cache'
import type { Exchange } from '../http/exchange'
import type { HomeClients } from '../clients/document-data-channels'
import type { WebhookClients } from '../clients/webhook-clients'

/** A decision that is older than this when the body has arrived is asked for again. */
const STALE_AFTER_MS = 1_000

/** Reasons that say that a decision has become old before the call, which has done nothing: it is tried again, once. */
const refusedUndone = new Set(['WRONG_HOME', 'BAD_CALLER_TOKEN'])
/** The address of the home may be old; what the call has done is not known. */
const UNREACHABLE = 'SERVICE_UNAVAILABLE'

/** Reasons that do not say what the call has done: the connection broke, or the home stops or is not there yet. */
const unsettled = new Set([UNREACHABLE, 'CANCELLED', 'DOCUMENT_CLOSED', 'HOME_UNAVAILABLE'])
/** A home that was killed is there again within this time. */
const RETRY_DELAYS_MS = [50, 200, 500, 1_000, 2_000]

/** A document that one request works on, after access to it has been granted. */
export class DocumentSession {
  private grantedAt = performance.now()

  private constructor(
    private readonly exchange: Exchange,
    private readonly name: string,
    private readonly need: NeededRole,
    private granted: Grant & { document: GrantedDocument },
  ) {}

  /** Asks for access. Throws AppError: `unauthenticated`, `not_found`, or `forbidden` when the role is too low. */
  static async open(exchange: Exchange, name: string, need: NeededRole): Promise<DocumentSession> {
    return new DocumentSession(exchange, name, need, await authorize(exchange, name, need))
  }

  /** UUID of the document. */
  get docId(): string {
    return this.granted.document.docId
  }

  /** What the caller may do with it. */
  get role(): GrantedDocument['role'] {
    return this.granted.document.role
  }

  /** Asks again when the body took long to arrive: access, home and token may have changed or run out meanwhile. */
  async refresh(): Promise<void> {
    if (performance.now() - this.grantedAt > STALE_AFTER_MS) await this.renew()
  }

  /** Asks again. Throws as `open`. */
  async renew(): Promise<void> {
    this.granted = await authorize(this.exchange, this.name, this.need)
    this.grantedAt = performance.now()
  }

  /** Runs a call at the document's home; once more when the home has moved, since nothing was done then. */
  call<T>(run: (home: HomeClients, call: CallContext) => Promise<T>): Promise<T> {
    const { homes } = this.exchange.context
    return this.tryTwice((call) => run(homes.at(this.granted.document.homeAddress), call))
  }

  /** Runs a call of the webhook service; once more when the token was not taken, since nothing was done then. */
  callWebhook<T>(run: (webhook: WebhookClients, call: CallContext) => Promise<T>): Promise<T> {
    return this.tryTwice((call) => run(this.exchange.context.webhook, call))
  }

  private async tryTwice<T>(run: (call: CallContext) => Promise<T>): Promise<T> {
    const attempt = async () => run(this.exchange.call(this.granted.token))
    try {
      return await attempt()
    } catch (error) {
      const reason = toAppError(error)?.reason ?? ''
      const isUndone = refusedUndone.has(reason)
      if (isUndone || reason === UNREACHABLE) this.forget()
      if (!isUndone) throw error
    }
    await this.renew()
    return attempt()
  }

  /** As `call`, for what may be done twice: while its fate is unknown it is tried again, for a few seconds. */
  async callUntilSettled<T>(run: (home: HomeClients, call: CallContext) => Promise<T>): Promise<T> {
    const { signal, deadline } = this.exchange
    return retry(() => this.call(run), {
      delaysMs: RETRY_DELAYS_MS,
      deadline,
      isRetryable: (error) => !signal.aborted && unsettled.has(toAppError(error)?.reason ?? ''),
      beforeRetry: async () => {
        this.forget()
        await this.renew()
      },
    })
  }

  private forget(): void {
    const { credential, site, context } = this.exchange
    context.access.forget({ credential, site, document: this.name })
  }
}

async function authorize(exchange: Exchange, name: string, need: NeededRole) {
  const grant = await exchange.authorize(name)
  const { document } = grant
  if (!document) throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')
  if (!roleAtLeast(document.role, need)) throw documentRoleError(need)
  return { ...grant, document }
}
