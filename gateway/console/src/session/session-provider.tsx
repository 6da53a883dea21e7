import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, type ReactNode } from 'react'
import { fetchSession, isPageUser, type Session, watchSession } from '../api/session'
import { ErrorState, Loading } from '../components/states'

/** The signed-in user. */
export type CurrentUser = NonNullable<Session['user']>

const CurrentUserContext = createContext<CurrentUser | undefined>(undefined)

/** Query key of the session. */
export const sessionKey = ['session'] as const

/** Returns the signed-in user. Throws outside of SessionProvider. */
export function useCurrentUser(): CurrentUser {
  const user = use(CurrentUserContext)
  if (!user) throw new Error('useCurrentUser requires a SessionProvider')
  return user
}

/** Redirects to the sign-in page, which redirects back to this page. */
function goToSignIn(): void {
  const { pathname, search, hash } = window.location
  const next = encodeURIComponent(pathname + search + hash)
  window.location.replace(`/sign-in?next=${next}`)
}

/**
 * Shows its children to signed-in users, and redirects others to the sign-in page. Reloads the page when
 * another user signs in.
 */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: sessionKey, queryFn: fetchSession })
  const isSignedOut = data?.user === null
  const isOther = data !== undefined && !isSignedOut && !isPageUser(data.user)
  useEffect(() => watchSession((session) => client.setQueryData(sessionKey, session)), [client])
  useEffect(() => {
    if (!isSignedOut && !isOther) return
    client.clear()
    if (isOther) window.location.reload()
    else goToSignIn()
  }, [isSignedOut, isOther, client])
  if (data?.user && !isOther)
    return <CurrentUserContext value={data.user}>{children}</CurrentUserContext>
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <Loading what={isSignedOut ? 'the sign-in page' : 'your session'} />
}
