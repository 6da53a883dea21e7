import { csrfTokenOf } from '../sign-in/csrf'
import { isSessionEnd, type Exchange } from '../http/exchange'
import { authenticate } from '../routing/authenticate'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { session, signOut } from '../schemas/session'

const tag = 'session'

/** The session of a browser: the signed-in user, and signing out. */
export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/session',
    id: 'describeSession',
    tag,
    summary: 'Get the signed-in user',
    description:
      'Returns the user of the session or API key, and the CSRF token of the session. An expired session counts as no session.',
    // Resolved by directory below: a browser whose session has ended gets an answer that says so, not an error.
    access: 'open',
    noStore: true,
    success: { description: 'The user, or null for the anonymous user', schema: session },
    statuses: {
      401: 'The API key is invalid or expired.',
      429: 'A rate limit is reached.',
    },
    async handle(exchange) {
      const { signIn } = exchange.context
      const user = await findUser(exchange)
      const { credential } = exchange
      const isSession = user !== null && credential?.kind === 'session'
      const csrfToken = isSession ? csrfTokenOf(credential.secret) : null
      sendJson(exchange, { user, csrfToken, signIn: signIn.offers })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/session/sign-out',
    id: 'signOut',
    tag,
    summary: 'Sign out',
    description:
      'Ends the current session, or all sessions of the user. Requires a signed-in user.',
    access: 'caller',
    body: signOut,
    success: { description: 'Done; the session is rejected immediately', schema: nothing },
    async handle(exchange, { body: { everywhere } }) {
      const { credential, cookies, context } = exchange
      const { sessions } = context.directory
      if (everywhere) await sessions.endAllSessions({ userId: 0, keptToken: '' }, exchange.call())
      else if (credential?.kind === 'session') {
        const sessionRef = { $case: 'token', value: credential.secret } as const
        await sessions.endSession({ sessionRef }, exchange.call())
      }
      if (credential?.kind === 'session')
        exchange.headers.push('Set-Cookie', cookies.forgetSession())
      sendNull(exchange)
    },
  }),
]

async function findUser(exchange: Exchange) {
  authenticate(exchange)
  try {
    await exchange.authorize('')
  } catch (error) {
    if (isSessionEnd(error)) return null
    throw error
  }
  const { directory } = exchange.context
  const { profile } = await directory.profile.getProfile({}, exchange.call())
  if (!profile) throw new Error('directory answered without a profile')
  const { id, name, email, anonymous } = profile
  return anonymous ? null : { id, name, email }
}
