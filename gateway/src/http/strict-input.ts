import { AppError } from '@sheaf/kit/errors'
import { findInJson, isInfinite, pathText } from '@sheaf/kit/json-search'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { payloadError } from '@sheaf/kit/payload-error'
import { shorten } from '@sheaf/kit/truncate-text'
import type { z } from 'zod'

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
  throw unknownField(pathText(path))
}

/** The error for a property or a field of a form that a body does not have. */
export function unknownField(field: string): AppError {
  return new AppError('invalid', 'UNKNOWN_PROPERTY', `unrecognized property ${field}`, { field })
}

/** How a body is checked. */
interface KeptInput {
  /** How messages name the body. */
  readonly root?: string
  /** True for numbers that only the handler may refuse. */
  readonly numbers?: boolean
}

/**
 * Throws AppError `invalid` for what would be dropped from a body without a word: UNKNOWN_PROPERTY for a property
 * `__proto__`, which schemas drop from objects whose properties are chosen by their sender as well; INVALID_PAYLOAD for a
 * number beyond the range of a double, which would become null.
 */
export function requireKeptInput(body: unknown, { root, numbers = false }: KeptInput = {}): void {
  const path = findInJson(
    body,
    (value, key) => key === PROTO || (!numbers && isInfinite(value, key)),
  )
  if (path === undefined) return
  const field = pathText(path, root)
  if (path.at(-1) !== PROTO) throw payloadError(`${field} is a number out of range`)
  throw unknownField(field)
}

const PROTO = '__proto__'

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
