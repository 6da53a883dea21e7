import { keyScopeError } from '@sheaf/auth/key-scope'
import { documentRoleError } from '@sheaf/auth/require-access'
import { retry } from '@sheaf/kit/backoff'
import { AppError, toAppError } from '@sheaf/kit/errors'
import { roleAtLeast, type NeededRole } from '@sheaf/auth/roles'
import type { CallContext } from '@sheaf/protos/call'
import type { Grant, GrantedDocument } from '../access/access-cache'
import type { Exchange } from '../http/exchange'
import type { DocumentDataClients } from '../clients/document-data-channels'
import type { WebhookClients } from '../clients/webhook-clients'

/** A decision older than this when the body has arrived is resolved again. */
const STALE_AFTER_MS = 1_000

/** Reasons for which the decision was stale before the call, which has had no effect: it is retried once. */
const retryableReasons = new Set(['WRONG_HOME', 'BAD_CALLER_TOKEN'])
/** The home address may be stale; the effect of the call is unknown. */
const UNREACHABLE = 'SERVICE_UNAVAILABLE'

/**
 * Reasons that leave the effect of a call unknown: the connection broke, or the home is stopping or starting.
 */
const indeterminate = new Set([UNREACHABLE, 'CANCELLED', 'DOCUMENT_CLOSED', 'HOME_UNAVAILABLE'])
/** A home that was killed is back within this time. */
const RETRY_DELAYS_MS = [50, 200, 500, 1_000, 2_000]

/** An authorized document, and calls to the services about it, for one request. */
export class DocumentSession {
  private grantedAt = performance.now()

  private constructor(
    private readonly exchange: Exchange,
    private readonly name: string,
    private readonly need: NeededRole,
    private granted: Grant & { document: GrantedDocument },
  ) {}

  /**
   * Resolves access. Throws AppError: `unauthenticated`, `not_found`, or `forbidden` when the role is too
   * low.
   */
  static async open(exchange: Exchange, name: string, need: NeededRole): Promise<DocumentSession> {
    return new DocumentSession(exchange, name, need, await authorize(exchange, name, need))
  }

  /** UUID of the document. */
  get docId(): string {
    return this.granted.document.docId
  }

  /** The caller's role on it. */
  get role(): GrantedDocument['role'] {
    return this.granted.document.role
  }

  /**
   * Resolves access again when the body took long to arrive: access, home and token may have changed or
   * expired.
   */
  async refresh(): Promise<void> {
    if (performance.now() - this.grantedAt > STALE_AFTER_MS) await this.renew()
  }

  /** Resolves access again. Throws as `open`. */
  async renew(): Promise<void> {
    this.granted = await authorize(this.exchange, this.name, this.need)
    this.grantedAt = performance.now()
  }

  /**
   * Runs a call at the document's home, and retries once when the home has moved, since the call had no
   * effect then.
   */
  call<T>(run: (home: DocumentDataClients, call: CallContext) => Promise<T>): Promise<T> {
    const { documentData } = this.exchange.context
    return this.retryOnce((call) => run(documentData.at(this.granted.document.homeAddress), call))
  }

  /**
   * Runs a call of the webhook service, and retries once when the token was rejected, since the call had no
   * effect then.
   */
  callWebhook<T>(run: (webhook: WebhookClients, call: CallContext) => Promise<T>): Promise<T> {
    return this.retryOnce((call) => run(this.exchange.context.webhook, call))
  }

  private async retryOnce<T>(run: (call: CallContext) => Promise<T>): Promise<T> {
    const attempt = async () => run(this.exchange.call(this.granted.token))
    try {
      return await attempt()
    } catch (error) {
      const reason = toAppError(error)?.reason ?? ''
      const isUndone = retryableReasons.has(reason)
      if (isUndone || reason === UNREACHABLE) this.forget()
      if (!isUndone) throw error
    }
    await this.renew()
    return attempt()
  }

  /** As `call`, for idempotent calls: retries for a few seconds while the outcome is unknown. */
  async callWithRetries<T>(
    run: (home: DocumentDataClients, call: CallContext) => Promise<T>,
  ): Promise<T> {
    const { signal, deadline } = this.exchange
    return retry(() => this.call(run), {
      delaysMs: RETRY_DELAYS_MS,
      deadline,
      isRetryable: (error) => !signal.aborted && indeterminate.has(toAppError(error)?.reason ?? ''),
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
  if (!roleAtLeast(document.role, need))
    throw roleAtLeast(document.unscopedRole, need) ? keyScopeError() : documentRoleError(need)
  return { ...grant, document }
}
