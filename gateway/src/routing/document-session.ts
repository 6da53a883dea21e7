import { keyScopeError } from '@sheaf/auth/key-scope'
import { documentRoleError } from '@sheaf/auth/require-access'
import { requireProtocol } from '@sheaf/auth/require-protocol'
import { AppError } from '@sheaf/kit/errors'
import { roleAtLeast, type NeededRole } from '@sheaf/auth/roles'
import type { CallContext } from '@sheaf/protos/call'
import type { Grant, GrantedDocument } from '../access/access-cache'
import type { Exchange } from '../http/exchange'
import type { DocumentDataClients } from '../clients/document-data-clients'
import type { WebhookClients } from '../clients/webhook-clients'
import { isIndeterminate, isRefusedByHome, isWithoutHome, repeatCall } from './repeat-call'

/** A decision older than this when the body has arrived is resolved again. */
const STALE_AFTER_MS = 1_000

/** Whether a call may be made again when its effect is unknown. */
export interface Repetition {
  /** True when the call has no effect, or has it only once however often it is made. */
  readonly isIdempotent?: boolean
  /** False once the body of the call cannot be sent again; true by default. */
  readonly canRepeat?: () => boolean
}

const IDEMPOTENT: Repetition = { isIdempotent: true }
const ONCE: Repetition = {}

/** The role that a request needs, or that it is one with the key of a form. */
type Need = NeededRole | 'form'

/** An authorized document, and calls to the services about it, for one request. */
export class DocumentSession {
  private grantedAt = performance.now()
  /** True when the home of the decision has turned out not to be one. */
  private isOutdated = false

  private constructor(
    private readonly exchange: Exchange,
    private readonly name: string,
    private readonly need: Need,
    private granted: Grant & { document: GrantedDocument },
  ) {}

  /**
   * Resolves access, and waits while the document has no home. Throws AppError: `unauthenticated`, `not_found`, or `forbidden` when the role is too
   * low.
   * @param name as the path names it; empty for the document of a form
   */
  static async open(exchange: Exchange, name: string, need: Need): Promise<DocumentSession> {
    const resolve = () => authorize(exchange, name, need)
    return new DocumentSession(
      exchange,
      name,
      need,
      await repeatCall(exchange, resolve, isWithoutHome),
    )
  }

  /** UUID of the document. */
  get docId(): string {
    return this.granted.document.docId
  }

  /** The caller's role on it. */
  get role(): GrantedDocument['role'] {
    return this.granted.document.role
  }

  /** Id of the view that is the form of the request. */
  get formViewId(): number {
    return this.granted.formViewId
  }

  /**
   * Resolves access again, as `open`, when the body took long to arrive: access, home and token may have changed or
   * expired.
   */
  async refresh(): Promise<void> {
    if (performance.now() - this.grantedAt > STALE_AFTER_MS)
      await repeatCall(this.exchange, () => this.renew(), isWithoutHome)
  }

  /** Resolves access again, at once. Throws as `open`, and `unavailable` while the document has no home. */
  async renew(): Promise<void> {
    this.granted = await authorize(this.exchange, this.name, this.need)
    this.grantedAt = performance.now()
    this.isOutdated = false
  }

  /** As `call`, for a call without effects. */
  read<T>(run: (home: DocumentDataClients, call: CallContext) => Promise<T>): Promise<T> {
    return this.call(run, IDEMPOTENT)
  }

  /**
   * Runs a call at the document's home. When the home has moved or is being replaced, resolves access again and repeats the
   * call, for the time of a failover: always when the home refused it, which has had no effect, and an idempotent one also
   * when its effect is unknown.
   */
  call<T>(
    run: (home: DocumentDataClients, call: CallContext) => Promise<T>,
    repetition = ONCE,
  ): Promise<T> {
    const { documentData } = this.exchange.context
    const prepare = () => {
      const { askedAt, document } = this.granted
      requireProtocol(document.homeProtocol, this.exchange.neededProtocol)
      const home = documentData.at(document.homeAddress, askedAt)
      return (call: CallContext) => run(home, call)
    }
    return this.follow(prepare, repetition)
  }

  /** As `callWebhook`, for a call without effects. */
  readWebhook<T>(run: (webhook: WebhookClients, call: CallContext) => Promise<T>): Promise<T> {
    return this.callWebhook(run, IDEMPOTENT)
  }

  /** Runs a call of the webhook service, which may call the document's home; repeats it as `call` does. */
  callWebhook<T>(
    run: (webhook: WebhookClients, call: CallContext) => Promise<T>,
    repetition = ONCE,
  ): Promise<T> {
    return this.follow(() => (call) => run(this.exchange.context.webhook, call), repetition)
  }

  /** @param prepare returns the call; what it throws is thrown before there was any effect */
  private follow<T>(
    prepare: () => (call: CallContext) => Promise<T>,
    { isIdempotent = false, canRepeat = () => true }: Repetition,
  ): Promise<T> {
    let isSent = false
    const attempt = async () => {
      isSent = false
      if (this.isOutdated) await this.renew()
      const run = prepare()
      isSent = true
      return run(this.exchange.call(this.granted.token))
    }
    const isRetryable = (error: unknown) => {
      const isRefused = isRefusedByHome(error)
      const isUnknown = isIndeterminate(error)
      if (isRefused || isUnknown) this.forget()
      if (this.exchange.cancellation.aborted || !canRepeat()) return false
      return isRefused || (isUnknown && (isIdempotent || !isSent))
    }
    return repeatCall(this.exchange, attempt, isRetryable)
  }

  private forget(): void {
    this.isOutdated = true
    const { credential, site, context } = this.exchange
    context.access.forget({ credential, site, document: this.name })
  }
}

async function authorize(exchange: Exchange, name: string, need: Need) {
  const grant = await exchange.authorize(name)
  const { document } = grant
  // An older directory does not know keys of forms, and answers as to a request without a credential.
  if (need === 'form' && grant.formViewId === 0)
    throw new AppError('unavailable', 'SERVICE_TOO_OLD', 'a service is being upgraded, retry later')
  if (!document) throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')
  if (need !== 'form' && !roleAtLeast(document.role, need))
    throw roleAtLeast(document.unscopedRole, need) ? keyScopeError() : documentRoleError(need)
  return { ...grant, document }
}
