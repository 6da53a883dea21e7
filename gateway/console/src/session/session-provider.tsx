import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, type ReactNode } from 'react'
import { fetchSession, isPageUser, type Session, watchSession } from '../api/session'
import { Button } from '../components/button'
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

interface SessionProviderProps {
  /** A hook that returns the number of entered values that are not stored. */
  readonly useUnsaved: () => number
  readonly children: ReactNode
}

/**
 * Shows its children to signed-in users, and redirects others to the sign-in page. Reloads the page when another user signs in.
 * While there are unsaved values, it does so only when asked to: they are saved if the user signs in again in another tab.
 */
export function SessionProvider({ useUnsaved, children }: SessionProviderProps): ReactNode {
  const client = useQueryClient()
  const unsaved = useUnsaved()
  const { data, error, refetch } = useQuery({ queryKey: sessionKey, queryFn: fetchSession })
  const end = endOf(data)
  const isOther = end === 'other'
  const isKept = unsaved > 0
  const leave = isOther ? reload : goToSignIn
  useEffect(() => watchSession((session) => client.setQueryData(sessionKey, session)), [client])
  useEffect(() => {
    if (!end || isKept) return
    client.clear()
    leave()
  }, [end, isKept, leave, client])
  if (data?.user && !end)
    return <CurrentUserContext value={data.user}>{children}</CurrentUserContext>
  if (end && isKept) return <UnsavedNotice unsaved={unsaved} isOther={isOther} onLeave={leave} />
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <Loading what={end ? 'the sign-in page' : 'your session'} />
}

/** Returns how the session of the user of this page has ended; undefined if it has not. */
function endOf(session: Session | undefined): 'signed out' | 'other' | undefined {
  if (session?.user === null) return 'signed out'
  return session && !isPageUser(session.user) ? 'other' : undefined
}

const reload = () => window.location.reload()

interface UnsavedNoticeProps {
  readonly unsaved: number
  readonly isOther: boolean
  readonly onLeave: () => void
}

/** Shown in place of the pages while values of a user who is no longer signed in are not saved. */
function UnsavedNotice({ unsaved, isOther, onLeave }: UnsavedNoticeProps): ReactNode {
  const cells = unsaved === 1 ? '1 cell is' : `${unsaved.toLocaleString()} cells are`
  return (
    <main className="page">
      <h1>{isOther ? 'Another user has signed in' : 'You are signed out'}</h1>
      <p role="alert">{`${cells} not saved. Sign in again in another tab to save what you entered.`}</p>
      <p>
        <a href="/sign-in" target="_blank" rel="noreferrer">
          Sign in
        </a>
      </p>
      <Button onClick={onLeave}>Leave without saving</Button>
    </main>
  )
}
