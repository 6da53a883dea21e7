import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Stage } from '../http/exchange'

/** Subdomains that name a part of the installation, not a site. */
const NO_SITE = /^(api|v1-.*|doc-worker-.*)$/
const PREFIX = /^\/o\/([^/?]+)(?=[/?]|$)/

/** Returns the host without its port. */
export function hostname(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}

/**
 * Determines the site that a request addresses: by the path prefix `/o/<domain>`, which is removed, by the
 * subdomain of the Host, or by the header `Organization`. Throws AppError `invalid` when path and Host
 * disagree, `not_found` for a Host outside the base domain.
 */
export function site(baseDomain: string | undefined): Stage {
  return (exchange) => {
    const { request } = exchange
    const [prefix = '', raw = ''] = findPrefix(request)
    const fromPath = decode(raw)
    const fromHost = baseDomain === undefined ? '' : subdomain(request.headers.host, baseDomain)
    if (fromPath && fromHost && fromPath !== fromHost) {
      const message = `Wrong org for this domain: '${shorten(fromPath)}' does not match '${shorten(fromHost)}'`
      throw new AppError('invalid', 'SITE_MISMATCH', message)
    }
    if (prefix) takeOff(request, prefix)
    const { organization } = request.headers
    exchange.site = fromPath || fromHost || (typeof organization === 'string' ? organization : '')
    return false
  }
}

function findPrefix({ url = '' }: IncomingMessage): readonly string[] {
  return PREFIX.exec(url) ?? []
}

function takeOff(request: IncomingMessage, prefix: string): void {
  request.url = request.url?.slice(prefix.length).replace(/^(?!\/)/, '/')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase()
  } catch {
    throw new AppError('invalid', 'MALFORMED_PATH', `Failed to decode param '${shorten(text)}'`)
  }
}

/** True for a host that no base domain can contain, as commands on the same machine use it. */
function isAddress(name: string): boolean {
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

/** Not the domain itself, which may be internal. */
function unknownHost(host = ''): AppError {
  const setting = 'SHEAF_BASE_DOMAIN'
  const message = `Domain not recognized: ${shorten(host)}; ${setting} decides which are`
  return new AppError('not_found', 'UNKNOWN_HOST', message, { setting })
}

function subdomain(host: string | undefined, baseDomain: string): string {
  const name = hostname(host ?? '')
  const base = hostname(baseDomain)
  if (name === base || isAddress(name)) return ''
  if (!name.endsWith(`.${base}`)) throw unknownHost(host)
  const label = name.slice(0, -base.length - 1)
  return NO_SITE.test(label) ? '' : label
}
