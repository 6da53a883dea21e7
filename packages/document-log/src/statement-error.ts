/**
 * What an error of a statement that appends means: `again`, it had no effect and may succeed when repeated; `locked`,
 * the same, because the row of a document was held by another statement; `refused`, it had no effect; `lost`, it may
 * have taken effect, or still may.
 */
export type StatementFailure = 'again' | 'locked' | 'refused' | 'lost'

/** Serialization failures and deadlocks. */
const AGAIN = /^(40001|40P01)$/
const LOCKED = '55P03'
/** Errors that end the connection: PostgreSQL may have sent them after the commit. */
const LOST = /^(08|57P)/
const SQLSTATE = /^[0-9A-Z]{5}$/

/** What an error of a statement means. Errors without a code of PostgreSQL come from the connection. */
export function failureOf(error: unknown): StatementFailure {
  const code = (error as { readonly code?: unknown } | undefined)?.code
  const isAnswer = typeof code === 'string' && SQLSTATE.test(code) && !/^E[A-Z]{4}$/.test(code)
  if (!isAnswer || LOST.test(code)) return 'lost'
  if (AGAIN.test(code)) return 'again'
  return code === LOCKED ? 'locked' : 'refused'
}
