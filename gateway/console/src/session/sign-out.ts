import { sheaf } from '../api/sheaf'

/** What depends on the user in this browser. */
interface SignOutGuard {
  /** Resolves to false if the user wants to stay. */
  readonly ask: () => Promise<boolean>
  /** Deletes what the browser has of the user. */
  readonly forget: () => Promise<void>
}

let guard: SignOutGuard | undefined

/** Sets what is done before and after the user signs out. Returns a function that unsets it. */
export function guardSignOut(next: SignOutGuard): () => void {
  guard = next
  return () => {
    guard = undefined
  }
}

/**
 * Ends the session of this browser, or with `everywhere` all sessions of the user, and opens the sign-in page, unless the user
 * decides to stay.
 */
export async function signOut(everywhere: boolean): Promise<void> {
  if (guard && !(await guard.ask())) return
  await sheaf().request({ method: 'POST', path: '/api/session/sign-out', json: { everywhere } })
  await forgetUser()
}

/** Deletes what the browser has of a user who is no longer signed in, and opens the sign-in page. */
export async function forgetUser(): Promise<void> {
  // The session has ended in any case.
  await guard?.forget().catch(() => {})
  window.location.replace('/sign-in')
}
