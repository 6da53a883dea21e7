import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Exchange, Stage } from '../http/exchange'
import { sendBytes } from '../http/reply'
import { hostname } from './site'

const METHODS = 'GET, PATCH, PUT, POST, DELETE, OPTIONS'
const OK = Buffer.from('OK')

/** Response headers that pages may read in addition to the CORS-safelisted ones. */
const exposed = [
  'Access-Control-Expose-Headers',
  'ETag, Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Next-Cursor, X-Total-Count',
]

/**
 * X-CSRF-Token is not among the headers that pages of other hosts may send: a page of this host needs no
 * permission, and those of its base domain may read with the session, and write with a key.
 */
const trustedHeaders = [
  ...exposed,
  'Access-Control-Allow-Methods',
  METHODS,
  'Access-Control-Allow-Headers',
  'Authorization, Content-Type, Prefer, X-Requested-With',
  'Access-Control-Allow-Credentials',
  'true',
]
const untrustedHeaders = [
  ...exposed,
  'Access-Control-Allow-Methods',
  METHODS,
  'Access-Control-Allow-Headers',
  'Content-Type, Prefer, X-Requested-With',
  'Access-Control-Allow-Origin',
  '*',
]

/** Origins of this machine, for which plain HTTP cannot be intercepted. */
const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Adds the CORS headers: pages of this host, its public address or its base domain may read responses with
 * the user's credentials, all others only as the anonymous user. Responds to OPTIONS. Throws AppError
 * `invalid` for a malformed origin, `forbidden` when a foreign page sends credentials.
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
    throw new AppError('invalid', 'INVALID_ORIGIN', `Invalid origin: ${shorten(origin)}`)
  const url = new URL(origin)
  // A page loaded over plain HTTP can be modified in transit; one loaded over TLS cannot.
  if (url.protocol === 'http:' && cookies.isSecure && !ownMachine.has(url.hostname)) return false
  // Another port of the same host is another server, and is not trusted.
  if (url.host !== '' && url.host === headers.host?.toLowerCase()) return true
  if (baseDomain === undefined) return false
  const base = hostname(baseDomain)
  return url.hostname === base || url.hostname.endsWith(`.${base}`)
}
