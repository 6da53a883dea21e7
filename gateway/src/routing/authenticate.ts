import type { IncomingMessage } from 'node:http'
import { invalidToken } from '@sheaf/auth/access-token'
import { AppError } from '@sheaf/kit/errors'
import {
  accessTokenCredential,
  isJwt,
  MAX_TOKEN_LENGTH,
  type Credential,
} from '../access/credential'
import { isCsrfToken } from '../sign-in/csrf'
import type { Exchange } from '../http/exchange'

/** Methods that change nothing. */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Keys are much shorter; a longer text is not a key, and is not sent on. */
const MAX_KEY_LENGTH = 512

/**
 * Reads the credential of a request; it is verified when access is resolved. Throws AppError
 * `unauthenticated` for an Authorization header without a key, and for a write with a session or without a
 * credential that a form of another site could have sent.
 */
export function authenticate(exchange: Exchange): void {
  const { request } = exchange
  const { authorization } = request.headers
  if (authorization === undefined) {
    const { session } = exchange.cookies
    if (session === undefined) return rejectForgery(request)
    requireCsrfToken(request, session)
    exchange.credential = { kind: 'session', secret: session }
    return
  }
  exchange.credential = readBearer(exchange, authorization)
}

/** An access token is a credential where the route takes it, and no valid key elsewhere. */
function readBearer({ route, context }: Exchange, authorization: string): Credential {
  const [, scheme = '', text = ''] = /^(\S*)\s*(.*)$/.exec(authorization) ?? []
  if (scheme !== 'Bearer') {
    const message = "Bad request: unsupported Authorization scheme, expected 'Bearer'"
    throw new AppError('unauthenticated', 'UNSUPPORTED_SCHEME', message)
  }
  if (route?.takesAccessTokens && context.signIn.resource && isJwt(text)) {
    if (text.length <= MAX_TOKEN_LENGTH) return accessTokenCredential(text)
    throw invalidToken(`it has more than ${MAX_TOKEN_LENGTH} characters`)
  }
  if (text === '' || text.length > MAX_KEY_LENGTH)
    throw new AppError('unauthenticated', 'INVALID_API_KEY', 'Bad request: invalid API key')
  return { kind: 'apiKey', secret: text }
}

/**
 * A browser sends the cookie with requests of any page; only pages of this server know the matching token.
 */
function requireCsrfToken({ method = '', headers }: IncomingMessage, session: string): void {
  if (safeMethods.has(method)) return
  const { 'x-csrf-token': given } = headers
  if (typeof given === 'string' && isCsrfToken(given, session)) return
  throw new AppError(
    'unauthenticated',
    'CSRF_TOKEN_NEEDED',
    "Writes with a session require the header 'X-CSRF-Token' with the csrfToken from GET /api/session",
  )
}

/**
 * Throws AppError `unauthenticated` for a write without a credential that has none of the headers that a page of another site
 * cannot add to what its forms send.
 */
export function rejectForgery({ method = '', headers }: IncomingMessage): void {
  if (safeMethods.has(method)) return
  if (headers['content-type'] === 'application/json') return
  if (headers['x-requested-with'] === 'XMLHttpRequest') return
  throw new AppError(
    'unauthenticated',
    'CSRF_HEADER_NEEDED',
    "Unauthenticated requests require one of the headers 'Content-Type: application/json' or 'X-Requested-With: XMLHttpRequest'",
  )
}
