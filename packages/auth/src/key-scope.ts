/** What an API key is confined to. Without places it reaches all that its user does. */
export interface KeyScope {
  /** True when nothing may be changed. */
  readonly readOnly: boolean
  /** Ids of orgs that it reaches with all that is inside. */
  readonly orgs: readonly number[]
  /** Ids of workspaces that it reaches with all documents inside. */
  readonly workspaces: readonly number[]
  /** UUIDs of documents that it reaches. */
  readonly documents: readonly string[]
}

/** A scope as a claim of a caller token, with short names since it travels with every call. */
interface ScopeClaim {
  readonly ro?: true
  readonly orgs?: readonly number[]
  readonly ws?: readonly number[]
  readonly docs?: readonly string[]
}

/** The claim that says a scope; what is empty is left out. */
export function toScopeClaim(scope: KeyScope | undefined): ScopeClaim | undefined {
  return (
    scope && {
      ro: scope.readOnly || undefined,
      orgs: orNone(scope.orgs),
      ws: orNone(scope.workspaces),
      docs: orNone(scope.documents),
    }
  )
}

/** The scope that a claim says; undefined when there is none. Throws when it cannot be read: then it must not be ignored. */
export function readScopeClaim(claim: unknown): KeyScope | undefined {
  if (claim === undefined) return undefined
  if (typeof claim !== 'object' || claim === null) throw new Error('the scope is not an object')
  const { ro, orgs, ws, docs } = claim as Readonly<Record<string, unknown>>
  return {
    readOnly: ro === true,
    orgs: listOf(orgs, isId),
    workspaces: listOf(ws, isId),
    documents: listOf(docs, (item) => typeof item === 'string'),
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
