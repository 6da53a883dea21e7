import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Exchange, Stage } from '../http/exchange'
import { sendBytes } from '../http/reply'
import { hostname } from './site'

const METHODS = 'GET, PATCH, PUT, POST, DELETE, OPTIONS'
/** Request headers of the API that any page may send. */
const REQUEST_HEADERS =
  'Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Prefer, X-Request-Id, X-Requested-With'
const OK = Buffer.from('OK')

/** Response headers that pages may read in addition to the CORS-safelisted ones. */
const exposed = [
  'Access-Control-Expose-Headers',
  'ETag, Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Next-Cursor, X-Pending-Columns, X-Request-Id, X-Total-Count',
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
  `Authorization, ${REQUEST_HEADERS}`,
]
const untrustedHeaders = [
  ...exposed,
  'Access-Control-Allow-Methods',
  METHODS,
  'Access-Control-Allow-Headers',
  REQUEST_HEADERS,
  'Access-Control-Allow-Origin',
  '*',
]

const withCookies = ['Access-Control-Allow-Credentials', 'true']

/** Origins of this machine, for which plain HTTP cannot be intercepted. */
const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The origins that the configuration names. */
export interface ConfiguredOrigins {
  /** Domain whose pages, and those of its subdomains, may use the session of the user. */
  readonly baseDomain?: string | undefined
  /** Origin of the public address of this Sheaf; likewise. */
  readonly publicUrl?: string | undefined
  /** Origins whose pages may send keys, but not the session. */
  readonly allowedOrigins: readonly string[]
}

/**
 * Adds the CORS headers: pages of this host, its public address or its base domain may read responses with
 * the user's credentials, those of allowed origins with a key, all others only as the anonymous user.
 * Responds to OPTIONS. Throws AppError `invalid` for a malformed origin, `forbidden` when a page sends
 * credentials that it may not use.
 */
export function cors(origins: ConfiguredOrigins): Stage {
  const allowed = new Set(origins.allowedOrigins)
  return (exchange) => {
    const { request } = exchange
    const { origin } = request.headers
    const isPreflight = request.method === 'OPTIONS'
    exchange.headers.push('Vary', 'Origin')
    if (origin === undefined) {
      if (isPreflight) exchange.headers.push(...trustedHeaders, ...withCookies)
    } else if (origin === origins.publicUrl || isTrusted(origin, exchange, origins.baseDomain)) {
      const named = ['Access-Control-Allow-Origin', origin]
      exchange.headers.push(...named, ...trustedHeaders, ...withCookies)
    } else if (allowed.has(origin)) {
      requireNone(request.headers.cookie)
      exchange.headers.push('Access-Control-Allow-Origin', origin, ...trustedHeaders)
    } else {
      requireNone(request.headers.authorization ?? request.headers.cookie)
      exchange.headers.push(...untrustedHeaders)
    }
    if (isPreflight) sendBytes(exchange, OK, { mediaType: 'text/plain; charset=utf-8' })
    return isPreflight
  }
}

function requireNone(credentials: string | undefined): void {
  if (credentials === undefined) return
  const message = 'Credentials not supported for cross-origin requests'
  throw new AppError('forbidden', 'UNTRUSTED_ORIGIN', message, { setting: 'SHEAF_ALLOWED_ORIGINS' })
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
