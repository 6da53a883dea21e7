import type { Connection } from '../sqlite/connections'

/**
 * A state that a document has in common with another log: the one from which it was copied, or its own before a restore, which
 * begins a new epoch.
 */
export interface Origin {
  /** Epoch of the other log. */
  readonly epoch: string
  /** Position of the state in the other log. */
  readonly seq: number
  /**
   * Position of the same state in the log that continues from it: that of the next newer origin, or of the document itself.
   * A restored log continues the other one, so that `at` equals `seq` and the logs have all earlier states in common too.
   */
  readonly at: number
}

/** Older origins than these are forgotten. */
const MAX_ORIGINS = 64

/** Position of the only entry of the log of a copy, which stands for its whole content. */
export const FIRST_SEQ = 1

/** The origins of a document, from the latest to the oldest. */
export function readOrigins(connection: Connection): Origin[] {
  const text = connection.pluck<string>('SELECT origins FROM _sheaf_state WHERE id = 1').get()
  return text === undefined ? [] : (JSON.parse(text) as Origin[])
}

/** Origins that begin with the latest one. */
export function withOrigin(latest: Origin, older: readonly Origin[]): Origin[] {
  return [latest, ...older].slice(0, MAX_ORIGINS)
}

/** Stores the origins of a document, from the latest to the oldest. */
export function storeOrigins(
  connection: Connection,
  origins: readonly Origin[],
  schema: 'main' | 'copy' = 'main',
): void {
  connection
    .prepare(`UPDATE ${schema}._sheaf_state SET origins = ? WHERE id = 1`)
    .run(JSON.stringify(origins))
}
