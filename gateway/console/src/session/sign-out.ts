import { sheaf } from '../api/sheaf'

/** Ends the session of this browser, or with `everywhere` all sessions of the user, and opens the sign-in page. */
export async function signOut(everywhere: boolean): Promise<void> {
  await sheaf().request({ method: 'POST', path: '/api/session/sign-out', json: { everywhere } })
  window.location.replace('/sign-in')
}
