import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useCallback, useEffect, useState, type ReactNode } from 'react'
import { fetchSession, isPageUser, type Session, watchSession } from '../api/session'
import { Button } from '../components/button'
import { ErrorState, Loading } from '../components/states'
import { useKeptPages } from './use-kept-pages'

/** The signed-in user. */
export type CurrentUser = NonNullable<Session['user']>

const CurrentUserContext = createContext<CurrentUser | undefined>(undefined)

/** The session of this browser. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: fetchSession,
  // While pages are kept, nothing else is read.
  networkMode: 'always',
})

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

/** The entered values that the server has not stored. */
export interface UnsavedCount {
  readonly cells: number
  /** False if values are lost when the page is closed. */
  readonly isKept: boolean
  /** Returns the present number of cells, including those that pages have entered when they were removed. */
  readonly countCells: () => number
  /** Keeps the browser from asking before the page is left. */
  readonly leaveUnasked: () => void
}

interface SessionProviderProps {
  /** A hook that returns what is not stored. */
  readonly useUnsaved: () => UnsavedCount
  readonly children: ReactNode
}

/**
 * Shows its children to signed-in users, and redirects others to the sign-in page. Reloads the page when another user signs in.
 * While there are unsaved values, it does so only when asked to: they are saved if the user signs in again, in another tab unless the
 * browser keeps them. While there are drafts, which only the pages have, the pages stay, and go on when the user has signed in again.
 */
export function SessionProvider({ useUnsaved, children }: SessionProviderProps): ReactNode {
  const client = useQueryClient()
  const unsaved = useUnsaved()
  const { data, error, refetch } = useQuery(sessionQuery)
  const end = endOf(data)
  const isOther = end === 'other'
  const hasUnsaved = unsaved.cells > 0
  const { countCells } = unsaved
  const leave = isOther ? reload : goToSignIn
  const user = usePageUser(data?.user && !end ? data.user : undefined)
  const cover = useKeptPages(
    end,
    useCallback(() => void refetch(), [refetch]),
  )
  const areKept = cover !== undefined
  useEffect(
    () => watchSession((session) => client.setQueryData(sessionQuery.queryKey, session)),
    [client],
  )
  useEffect(() => {
    // The pages were removed with this render, and have entered what open editors had.
    if (!end || areKept || hasUnsaved || countCells() > 0) return
    client.clear()
    leave()
  }, [end, areKept, hasUnsaved, countCells, leave, client])
  if (user && (!end || areKept))
    return (
      <>
        <CurrentUserContext value={user}>{children}</CurrentUserContext>
        {cover}
      </>
    )
  if (end && hasUnsaved) return <UnsavedNotice {...unsaved} isOther={isOther} onLeave={leave} />
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <Loading what={end ? 'the sign-in page' : 'your session'} />
}

/** Returns the present user of this page, or the last one when there is none. */
function usePageUser(present: CurrentUser | undefined): CurrentUser | undefined {
  const [user, setUser] = useState(present)
  if (present && present !== user) setUser(present)
  return present ?? user
}

/** Returns how the session of the user of this page has ended; undefined if it has not. */
function endOf(session: Session | undefined): 'signed out' | 'other' | undefined {
  if (session?.user === null) return 'signed out'
  return session && !isPageUser(session.user) ? 'other' : undefined
}

const reload = () => window.location.reload()

interface UnsavedNoticeProps extends UnsavedCount {
  readonly isOther: boolean
  readonly onLeave: () => void
}

/** Shown in place of the pages while values of a user who is no longer signed in are not saved. */
function UnsavedNotice(props: UnsavedNoticeProps): ReactNode {
  const { cells, isKept, leaveUnasked, isOther, onLeave } = props
  const count = cells === 1 ? '1 cell is' : `${cells.toLocaleString()} cells are`
  if (isKept && !isOther)
    return (
      <main className="page">
        <h1>You are signed out</h1>
        <p role="alert">
          {`${count} not saved yet. What you entered will be saved when you sign in again in this browser.`}
        </p>
        <Button
          kind="primary"
          onClick={() => {
            leaveUnasked()
            onLeave()
          }}
        >
          Sign in
        </Button>
      </main>
    )
  return (
    <main className="page">
      <h1>{isOther ? 'Another user has signed in' : 'You are signed out'}</h1>
      <p role="alert">{`${count} not saved. Sign in again in another tab to save what you entered.`}</p>
      <p>
        <a href="/sign-in" target="_blank" rel="noreferrer">
          Sign in
        </a>
      </p>
      <Button onClick={onLeave}>Leave without saving</Button>
    </main>
  )
}
