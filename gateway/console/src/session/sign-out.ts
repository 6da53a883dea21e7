import { call } from '../api/client'

/** Ends the session of this browser, or with `everywhere` all sessions of the user, and opens the sign-in page. */
export async function signOut(everywhere: boolean): Promise<void> {
  await call('POST', '/api/session/sign-out', { body: { everywhere } })
  window.location.replace('/sign-in')
}
