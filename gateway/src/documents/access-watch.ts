import { toAppError, type AppError } from '@sheaf/kit/errors'
import { documentRoleError } from '@sheaf/auth/require-access'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'

/** How often access is resolved again. */
const EVERY_MS = 2_000
const denials = new Set(['unauthenticated', 'forbidden', 'not_found'])

/**
 * Notices within seconds that the caller may no longer use a document: access, key or session ended, the document is gone,
 * or an editor has become a viewer. While access cannot be resolved, nothing is noticed.
 */
export class AccessWatch implements Disposable {
  private readonly timer: NodeJS.Timeout
  /** True for a response that may contain what viewers do not see. */
  private readonly isForEditors: boolean
  private isAsking = false

  /** @param onEnd is called at most once, with the denial */
  constructor(
    private readonly document: DocumentSession,
    private readonly onEnd: (denial: AppError) => void,
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
        this.end(documentRoleError('editors'))
    } catch (error) {
      const told = toAppError(error)
      if (told && denials.has(told.code)) this.end(told)
    } finally {
      this.isAsking = false
    }
  }

  private end(denial: AppError): void {
    this[Symbol.dispose]()
    this.onEnd(denial)
  }
}

/**
 * Runs a call that may last, such as an upload. The signal is aborted when the result is no longer needed, and when the caller
 * may no longer use the document: the call then fails with the denial.
 */
export async function whileAllowed<T>(
  exchange: Exchange,
  document: DocumentSession,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  let denial: AppError | undefined
  const watch = new AccessWatch(document, (reason) => {
    denial = reason
    ending.abort(reason)
  })
  try {
    return await run(AbortSignal.any([exchange.signal, ending.signal]))
  } catch (error) {
    throw denial ?? error
  } finally {
    watch[Symbol.dispose]()
  }
}
