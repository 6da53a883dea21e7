import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/client'

/** What a key is confined to; it reaches everything where all lists are empty. */
export interface KeyScope {
  readonly readOnly: boolean
  readonly orgs: readonly number[]
  readonly workspaces: readonly number[]
  readonly docs: readonly string[]
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

/** What makes a named key. */
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

/** Begins the key of all that is known of keys. */
export const keysKey = ['api-keys'] as const

/** The beginning of the default key, the rest masked; empty when there is none. */
export const defaultKeyQuery = queryOptions({
  queryKey: [...keysKey, 'default'],
  queryFn: ({ signal }) => call<string>('GET', '/api/profile/apikey', { signal }),
})

/** All keys of the user. */
export const keysQuery = queryOptions({
  queryKey: [...keysKey, 'all'],
  queryFn: ({ signal }) => call<ApiKey[]>('GET', '/api/profile/apikeys', { signal }),
})

/** Makes the default key; resolves to it, which nobody will be told again. */
export const createDefaultKey = (): Promise<string> =>
  call<string>('POST', '/api/profile/apikey', { body: {} })

/** Revokes the default key. */
export const revokeDefaultKey = (): Promise<unknown> => call('DELETE', '/api/profile/apikey')

/** Makes a named key; resolves to it with its secret, which nobody will be told again. */
export const createKey = (body: NewApiKey): Promise<ApiKey & { readonly key: string }> =>
  call('POST', '/api/profile/apikeys', { body })

/** Revokes a key. */
export const revokeKey = (id: number): Promise<unknown> =>
  call('DELETE', `/api/profile/apikeys/${id}`)
