/** Tells a call that nobody waits for it any more; every AbortSignal is one. */
export interface CallSignal {
  readonly aborted: boolean
  /** Why, once it is aborted. */
  readonly reason: Error
  /** Has the listener told, once. */
  addEventListener(
    type: 'abort',
    listener: (() => void) | { handleEvent(): void },
    options?: { readonly once?: boolean },
  ): void
  removeEventListener(type: 'abort', listener: (() => void) | { handleEvent(): void }): void
}

/**
 * What travels beside a request in every call, on the client's side and on the server's: generated service
 * interfaces take it as their second parameter.
 */
export interface CallContext {
  /** Caller token, sent as `authorization: Bearer <token>`; only ResolveAccess and ListVerificationKeys do without. */
  readonly token?: string
  /** When the caller stops waiting, epoch milliseconds; the client's default applies when absent. */
  readonly deadline?: number
  /** Aborted when the caller goes away; ends the call and what it does. */
  readonly signal?: CallSignal
  /** Id of the REST request that caused the call, for logs. */
  readonly requestId?: string
}
