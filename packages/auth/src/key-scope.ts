import { AppError } from '@sheaf/kit/errors'
import { readCapsClaim, toCapsClaim, type KeyCaps } from './key-caps'

/** Scope of an API key. Without resources it covers everything that the user can access. */
export interface KeyScope {
  /** True for read-only access. */
  readonly readOnly: boolean
  /** Ids of orgs in scope, with their contents. */
  readonly orgs: readonly number[]
  /** Ids of workspaces in scope, with their documents. */
  readonly workspaces: readonly number[]
  /** UUIDs of documents in scope. */
  readonly documents: readonly string[]
  /** Caps on writes; a key with caps changes nothing but the contents of documents. */
  readonly caps?: KeyCaps | undefined
}

/** The error for what the scope of the caller's key excludes, although its user may do it. */
export const keyScopeError = (): AppError =>
  new AppError('forbidden', 'KEY_SCOPE', 'the scope of the API key does not allow this')

/** A scope as a claim of a caller token; the names are short because it is sent with every call. */
interface ScopeClaim {
  readonly ro?: true
  readonly orgs?: readonly number[]
  readonly ws?: readonly number[]
  readonly docs?: readonly string[]
  readonly caps?: ReturnType<typeof toCapsClaim>
}

/** Encodes a scope as a claim; empty fields are omitted. */
export function toScopeClaim(scope: KeyScope | undefined): ScopeClaim | undefined {
  return (
    scope && {
      ro: scope.readOnly || undefined,
      orgs: orNone(scope.orgs),
      ws: orNone(scope.workspaces),
      docs: orNone(scope.documents),
      caps: toCapsClaim(scope.caps),
    }
  )
}

/**
 * Decodes the scope of a claim; undefined for none. Throws for a malformed claim, which must not be treated
 * as unrestricted.
 */
export function readScopeClaim(claim: unknown): KeyScope | undefined {
  if (claim === undefined) return undefined
  if (typeof claim !== 'object' || claim === null) throw new Error('the scope is not an object')
  const { ro, orgs, ws, docs, caps } = claim as Readonly<Record<string, unknown>>
  return {
    readOnly: ro === true,
    orgs: listOf(orgs, isId),
    workspaces: listOf(ws, isId),
    documents: listOf(docs, (item) => typeof item === 'string'),
    caps: readCapsClaim(caps),
  }
}

function orNone<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

const isId = (item: unknown): item is number => Number.isSafeInteger(item)

function listOf<T>(value: unknown, isItem: (item: unknown) => item is T): readonly T[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every(isItem))
    throw new Error('the scope has an invalid list')
  return value
}
