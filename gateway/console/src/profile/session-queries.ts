import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/client'

/** A session of the user, in this browser or another one. */
export interface UserSession {
  readonly id: number
  readonly isCurrent: boolean
  readonly browser: string | null
  readonly system: string | null
  readonly createdAt: string
  readonly lastUsedAt: string
}

/** The sessions of the user. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call<UserSession[]>('GET', '/api/profile/sessions', { signal }),
})

/** Ends a session. */
export const endSession = (id: number): Promise<unknown> =>
  call('DELETE', `/api/profile/sessions/${id}`)

/** Ends all sessions except this one. */
export const endOtherSessions = (): Promise<unknown> => call('DELETE', '/api/profile/sessions')
