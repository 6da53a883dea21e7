import { toAppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'

/** How often access is resolved again. */
const EVERY_MS = 2_000
const denials = new Set(['unauthenticated', 'forbidden', 'not_found'])

/**
 * Breaks off a response that has begun, within seconds, once the caller may no longer read it: when access,
 * key or session ended, the document is gone, or an editor has become a viewer. While access cannot be resolved, the response continues.
 */
export class AccessWatch implements Disposable {
  private readonly timer: NodeJS.Timeout
  /** True for a response that may contain what viewers do not see. */
  private readonly isForEditors: boolean
  private isAsking = false

  constructor(
    private readonly exchange: Exchange,
    private readonly document: DocumentSession,
  ) {
    this.isForEditors = roleAtLeast(document.role, 'editors')
    this.timer = setInterval(() => void this.check(), EVERY_MS)
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer)
  }

  private async check(): Promise<void> {
    if (this.isAsking) return
    this.isAsking = true
    try {
      await this.document.renew()
      if (this.isForEditors && !roleAtLeast(this.document.role, 'editors'))
        this.end('ACCESS_DENIED')
    } catch (error) {
      const told = toAppError(error)
      if (told && denials.has(told.code)) this.end(told.reason)
    } finally {
      this.isAsking = false
    }
  }

  private end(reason: string): void {
    const { response, context, requestId } = this.exchange
    this[Symbol.dispose]()
    if (response.destroyed || response.writableFinished) return
    context.log.info({ requestId, reason }, 'a streamed response was ended, access was revoked')
    this.exchange.breakOff()
  }
}
