import { queryOptions } from '@tanstack/react-query'
import { requestText, sheaf } from '../api/sheaf'

/** Restrictions of a key. If all lists are empty, it has access to everything. */
export interface KeyScope {
  readonly readOnly: boolean
  readonly orgs: readonly number[]
  readonly workspaces: readonly number[]
  readonly docs: readonly string[]
  readonly caps: KeyCaps | null
}

/** Caps on what a key may write into documents; null for no cap. */
export interface KeyCaps {
  readonly rowsPerCall: number | null
  readonly rowsPerHour: number | null
  readonly tables: readonly string[] | null
  readonly noStructure: boolean
}

/** An API key without its secret. */
export interface ApiKey {
  readonly id: number
  readonly name: string
  readonly prefix: string
  readonly isDefault: boolean
  readonly scope: KeyScope | null
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/** Properties of a new named key. */
export interface NewApiKey {
  readonly name: string
  readonly expiresAt?: string
  readonly scope?: {
    readonly readOnly: boolean
    readonly orgs?: readonly number[]
    readonly workspaces?: readonly number[]
    readonly docs?: readonly number[]
  }
}

/** Query key prefix of all queries about keys. */
export const keysKey = ['api-keys'] as const

/** The default key, masked except for its prefix; empty if there is none. */
export const defaultKeyQuery = queryOptions({
  queryKey: [...keysKey, 'default'],
  queryFn: ({ signal }) => requestText({ method: 'GET', path: '/api/profile/apikey' }, { signal }),
})

/** All keys of the user. */
export const keysQuery = queryOptions({
  queryKey: [...keysKey, 'all'],
  queryFn: ({ signal }) =>
    sheaf().request<ApiKey[]>({ method: 'GET', path: '/api/profile/apikeys' }, { signal }),
})

/** The name of a key. Those created by the command-line tool can lack one. */
export const keyName = ({ name }: Pick<ApiKey, 'name'>): string => name || 'Unnamed'

/** Creates the default key. Resolves to the key, which is not shown again. */
export const createDefaultKey = (): Promise<string> =>
  requestText({ method: 'POST', path: '/api/profile/apikey', json: {} })

/** Revokes the default key. */
export const revokeDefaultKey = (): Promise<unknown> =>
  requestText({ method: 'DELETE', path: '/api/profile/apikey' })

/** Creates a named key. Resolves to the key with its secret, which is not shown again. */
export const createKey = (json: NewApiKey): Promise<ApiKey & { readonly key: string }> =>
  sheaf().request({ method: 'POST', path: '/api/profile/apikeys', json })

/** Revokes a key. */
export const revokeKey = (id: number): Promise<unknown> =>
  sheaf().request({ method: 'DELETE', path: `/api/profile/apikeys/${id}` })
