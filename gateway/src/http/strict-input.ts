import { AppError } from '@sheaf/kit/errors'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import type { z } from 'zod'
import { pathText } from './validation-errors'

/* The checks of strict requests (`Prefer: handling=strict`): what other requests ignore, these reject. */

/** Throws AppError `invalid` (INVALID_PARAMETER) for a query parameter that the route does not have. */
export function requireKnownParameters(known: readonly string[], query: object = {}): void {
  const name = Object.keys(query).find((key) => !known.includes(key))
  if (name === undefined) return
  const offered = known.length === 0 ? 'none' : known.join(', ')
  const { hint, details } = findNearMiss(name, known)
  throw new AppError(
    'invalid',
    'INVALID_PARAMETER',
    `unknown parameter "${shorten(name)}"; parameters of this route: ${offered}${hint}`,
    { parameter: shorten(name), ...details },
  )
}

/**
 * Throws AppError `invalid` (UNKNOWN_PROPERTY) for a property that the schema of a body does not have. A body
 * that violates its schema otherwise is left to the actual validation.
 */
export function requireKnownProperties(schema: z.ZodType, body: unknown): void {
  const result = schema.safeParse(body)
  const path = result.success ? findDropped(body, result.data, []) : undefined
  if (path === undefined) return
  throw new AppError('invalid', 'UNKNOWN_PROPERTY', `unrecognized property ${pathText(path)}`)
}

/** Path of the first property that the parsed value lacks. */
function findDropped(
  given: unknown,
  parsed: unknown,
  path: readonly PropertyKey[],
): readonly PropertyKey[] | undefined {
  if (given === parsed || !isCompound(given) || !isCompound(parsed)) return undefined
  for (const [key, value] of Object.entries(given)) {
    const at = [...path, Array.isArray(given) ? Number(key) : key]
    if (!Object.hasOwn(parsed, key)) return at
    const dropped = findDropped(value, (parsed as Record<string, unknown>)[key], at)
    if (dropped) return dropped
  }
  return undefined
}

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
