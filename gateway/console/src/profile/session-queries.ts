import { queryOptions } from '@tanstack/react-query'
import { sheaf } from '../api/sheaf'

const path = '/api/profile/sessions'

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
  queryFn: ({ signal }) => sheaf().request<UserSession[]>({ method: 'GET', path }, { signal }),
})

/** Ends a session. */
export const endSession = (id: number): Promise<unknown> =>
  sheaf().request({ method: 'DELETE', path: `${path}/${id}` })

/** Ends all sessions except this one. */
export const endOtherSessions = (): Promise<unknown> => sheaf().request({ method: 'DELETE', path })
