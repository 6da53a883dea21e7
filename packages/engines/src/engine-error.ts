/** An error that the operator can act on; its message is one sentence. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
}

/** Returns the message of any thrown value; a connection to several addresses fails with several. */
export function messageOf(error: unknown): string {
  const { message, errors } = Object(error) as Partial<AggregateError>
  return message || errors?.map(messageOf).join(', ') || String(error)
}
