/** Cancels a call; every AbortSignal is one. */
export interface CallSignal {
  readonly aborted: boolean
  /** The reason, once aborted. */
  readonly reason: Error
  /** Adds a listener that is called once. */
  addEventListener(
    type: 'abort',
    listener: (() => void) | { handleEvent(): void },
    options?: { readonly once?: boolean },
  ): void
  removeEventListener(type: 'abort', listener: (() => void) | { handleEvent(): void }): void
}

/**
 * Context that accompanies the request of every call, on the client and on the server. Generated service
 * interfaces take it as their second parameter.
 */
export interface CallContext {
  /**
   * Caller token, sent as `authorization: Bearer <token>`. Only ResolveAccess and ListVerificationKeys need
   * none.
   */
  readonly token?: string
  /** Deadline in epoch milliseconds; when absent, the default of the client applies. */
  readonly deadline?: number
  /** Aborted when the caller disconnects; cancels the call and its work. */
  readonly signal?: CallSignal
  /** Id of the REST request that caused the call, for logs. */
  readonly requestId?: string
}
