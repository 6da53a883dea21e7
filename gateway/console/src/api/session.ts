import { Sheaf, type SheafOptions } from '@sheaf/client'

/** Response of GET /api/session. */
export interface Session {
  readonly user: { readonly id: number; readonly name: string; readonly email: string } | null
  readonly csrfToken: string | null
  readonly signIn: { readonly oidc: boolean; readonly mail: boolean }
}

/** The server of this page. Somebody waits for each call, so it is given up earlier than by programs. */
export const server: SheafOptions = {
  url: '/',
  retry: { attempts: 4, firstDelayMs: 500, maxDelayMs: 4_000, totalMs: 65_000 },
}

/** The user of this page: the first who was signed in. */
let pageUserId: number | undefined
/** CSRF token from the latest session of the user of this page. */
let csrfToken: string | null = null
/** False once another user has signed in, or nobody is signed in. */
let isCurrent = true
let onSession: (session: Session) => void = () => {}
let renewal: Promise<void> | undefined

/** Returns true for the user of this page, false for another user who has signed in from another tab. */
export const isPageUser = (user: Session['user']): boolean => user?.id === pageUserId

/** Returns true if the session of the user of this page has ended, as far as is known. */
export const hasEnded = (): boolean => !isCurrent

/** Calls the listener with every session response. Returns a function that unsubscribes. */
export function watchSession(listener: (session: Session) => void): () => void {
  onSession = listener
  return () => {
    onSession = () => {}
  }
}

/** Fetches the session. Later calls use its CSRF token, if it is of the user of this page. */
export async function fetchSession(): Promise<Session> {
  // Not by the client of the other calls, which fetches the session when it is refused.
  const session = await new Sheaf(server).request<Session>({ method: 'GET', path: '/api/session' })
  pageUserId ??= session.user?.id
  isCurrent = isPageUser(session.user)
  // A page shown to one user never writes on behalf of another. Without another token, a refused call is not made again.
  if (isCurrent) csrfToken = session.csrfToken
  onSession(session)
  return session
}

/** Fetches the session after a refused call: the user may have signed out or in again in another tab. */
export function renewSession(): Promise<void> {
  renewal ??= fetchSession()
    .then(() => {})
    .finally(() => {
      renewal = undefined
    })
  return renewal
}

/** Headers required for writes authenticated by cookie. */
export function sessionHeaders(): Record<string, string> {
  return {
    'X-Requested-With': 'XMLHttpRequest',
    ...(csrfToken !== null && { 'X-CSRF-Token': csrfToken }),
  }
}
