/** True for an error that may pass without anyone doing something: the server is away or busy. */
export function isPassing(error: unknown): boolean {
  const status = (error as { status?: number } | undefined)?.status ?? 0
  return error !== undefined && (status === 0 || status === 429 || status >= 500)
}

/** True for an error that passes once the user of the page has signed in again. */
export function isSignedOut(error: unknown): boolean {
  const { status, details } = (error ?? {}) as {
    status?: number
    details?: { credential?: string }
  }
  return status === 401 || details?.credential === 'none'
}
