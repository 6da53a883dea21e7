import { AppError } from '@sheaf/kit/errors'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Query } from './query'

/** Name of the query parameter of writes that are to keep nothing. */
export const DRY_RUN = 'dryRun'

const words: ReadonlyMap<string, boolean> = new Map([
  ['', true],
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

/**
 * Whether a request is a dry run. Throws AppError `invalid` for another value, for a misspelt name, and for a call that
 * has no dry run, which would otherwise change what it must not.
 */
export function readDryRun(query: Query, isSupported: boolean): boolean {
  for (const name in query) if (name !== DRY_RUN) requireOtherName(name)
  const given = query[DRY_RUN]
  if (given === undefined) return false
  const isDryRun = typeof given === 'string' ? words.get(given.toLowerCase()) : undefined
  if (isDryRun === undefined) throw wrong(DRY_RUN, `${DRY_RUN} must be true or false`)
  if (isDryRun && !isSupported) throw wrong(DRY_RUN, `this call has no ${DRY_RUN}`)
  return isDryRun
}

function requireOtherName(name: string): void {
  const { hint } = findNearMiss(name, [DRY_RUN])
  if (hint !== '') throw wrong(shorten(name), `unknown parameter "${shorten(name)}"${hint}`)
}

function wrong(parameter: string, message: string): AppError {
  return new AppError('invalid', 'INVALID_PARAMETER', message, { parameter })
}
