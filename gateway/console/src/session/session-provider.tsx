import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, type ReactNode } from 'react'
import { fetchSession, isPageUser, watchSession, type Session } from '../api/client'
import { ErrorState, Loading } from '../components/states'

/** Who is signed in. */
export type CurrentUser = NonNullable<Session['user']>

const CurrentUserContext = createContext<CurrentUser | undefined>(undefined)

/** Key of what is known of the session; invalidating it asks anew. */
export const sessionKey = ['session'] as const

/** The user who is signed in. Throws outside of SessionProvider. */
export function useCurrentUser(): CurrentUser {
  const user = use(CurrentUserContext)
  if (!user) throw new Error('nobody is signed in')
  return user
}

/** Goes to where people sign in, and back here afterwards. */
function goToSignIn(): void {
  const { pathname, search, hash } = window.location
  const next = encodeURIComponent(pathname + search + hash)
  window.location.replace(`/sign-in?next=${next}`)
}

/** Shows its children to who is signed in, and sends everybody else to sign in. Who has signed in meanwhile gets a page anew. */
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
