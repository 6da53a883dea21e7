/** What the operator has to know, in one sentence; every failure they can act on is one of these. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
}

/** The message of anything that was thrown; a connection to several addresses fails with several. */
export function messageOf(error: unknown): string {
  const { message, errors } = Object(error) as Partial<AggregateError>
  return message || errors?.map(messageOf).join(', ') || String(error)
}
