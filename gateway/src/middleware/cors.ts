import { AppError } from '@sheaf/kit/errors'
import type { Exchange, Stage } from '../http/exchange'
import { sendBytes } from '../http/reply'
import { hostname } from './site'

const METHODS = 'GET, PATCH, PUT, POST, DELETE, OPTIONS'
const OK = Buffer.from('OK')

/** What pages may read besides what browsers show to all. */
const exposed = [
  'Access-Control-Expose-Headers',
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Next-Cursor, X-Total-Count',
]

/**
 * X-CSRF-Token is not among the headers that pages of other hosts may send: a page of this host needs no leave, and those of its base
 * domain read by the session, as they always could, and write with a key.
 */
const trustedHeaders = [
  ...exposed,
  'Access-Control-Allow-Methods',
  METHODS,
  'Access-Control-Allow-Headers',
  'Authorization, Content-Type, X-Requested-With',
  'Access-Control-Allow-Credentials',
  'true',
]
const untrustedHeaders = [
  ...exposed,
  'Access-Control-Allow-Methods',
  METHODS,
  'Access-Control-Allow-Headers',
  'Content-Type, X-Requested-With',
  'Access-Control-Allow-Origin',
  '*',
]

/** Nobody stands between these and a page that came from them by plain HTTP. */
const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Tells browsers which pages may read the answer: those of this host, its public address or its base domain with the user's credentials,
 * all others only as the anonymous user. Answers OPTIONS. Throws AppError `invalid` for an origin that is none,
 * `forbidden` when a foreign page sends credentials.
 */
export function cors(baseDomain: string | undefined, publicUrl?: string): Stage {
  return (exchange) => {
    const { request } = exchange
    const { origin } = request.headers
    const isPreflight = request.method === 'OPTIONS'
    exchange.headers.push('Vary', 'Origin')
    if (origin !== undefined && origin !== publicUrl && !isTrusted(origin, exchange, baseDomain)) {
      if (request.headers.authorization !== undefined || request.headers.cookie !== undefined) {
        const message = 'Credentials not supported for cross-origin requests'
        throw new AppError('forbidden', 'UNTRUSTED_ORIGIN', message)
      }
      exchange.headers.push(...untrustedHeaders)
    } else if (origin !== undefined) {
      exchange.headers.push('Access-Control-Allow-Origin', origin, ...trustedHeaders)
    } else if (isPreflight) exchange.headers.push(...trustedHeaders)
    if (isPreflight) sendBytes(exchange, OK, { mediaType: 'text/plain; charset=utf-8' })
    return isPreflight
  }
}

function isTrusted(
  origin: string,
  { request: { headers }, cookies }: Exchange,
  baseDomain: string | undefined,
): boolean {
  if (!URL.canParse(origin))
    throw new AppError('invalid', 'INVALID_ORIGIN', `Invalid origin: ${origin}`)
  const url = new URL(origin)
  // Whoever stands on the way can put anything into a page that comes by plain HTTP, and by TLS into none.
  if (url.protocol === 'http:' && cookies.isSecure && !ownMachine.has(url.hostname)) return false
  // Another port of the same host is another server, and not trusted.
  if (url.host !== '' && url.host === headers.host?.toLowerCase()) return true
  if (baseDomain === undefined) return false
  const base = hostname(baseDomain)
  return url.hostname === base || url.hostname.endsWith(`.${base}`)
}
