/** True for an error that may pass without anyone doing something: the server is away or busy. */
export function isPassing(error: unknown): boolean {
  const status = (error as { status?: number } | undefined)?.status ?? 0
  return error !== undefined && (status === 0 || status === 429 || status >= 500)
}
