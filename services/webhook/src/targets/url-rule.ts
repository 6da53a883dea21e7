import { AppError } from '@sheaf/kit/errors'
import { isAddress, isPublicAddress } from './addresses'

/** Names of the local machine and of local networks, including subdomains. */
const localNames = ['localhost', 'local', 'internal', 'home.arpa']
/** Parsers of addresses drop some of these; none belongs in one. */
// eslint-disable-next-line no-control-regex -- which is what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/

/** A name or IPv4 address, or a bracketed IPv6 address, with an optional port. */
const ENTRY = /^(\.?[^\s/\\?#@*:.[\]]+(\.[^\s/\\?#@*:.[\]]+)*\.?|\[[\da-f:.]+\])(:\d+)?$/i

/** Lists the hosts that are permitted in addition to public ones. */
const SETTING = 'SHEAF_WEBHOOK_ALLOWED_HOSTS'

/** The destination of deliveries. */
export interface Target {
  /** As parsed, in the normal form of WHATWG, in which `hostname` is not disguised. */
  readonly url: URL
  /** True when the operator has allowed the host: its addresses may be private, and http is permitted. */
  readonly isAllowedHost: boolean
}

/**
 * Returns the target of a URL, if deliveries may go there: https to a public host, or https or http to one in
 * `allowedHosts`. An entry is a `host`, for all its ports and subdomains, a `host:port`, or `*`. A name is
 * judged by its spelling: unless `isAllowedHost`, the addresses that it resolves to must be checked with
 * `isPublicAddress`. Throws AppError `forbidden`.
 */
export function checkUrl(text: string, allowedHosts: readonly string[]): Target {
  const url = CONTROL.test(text) ? undefined : parseUrl(text)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '')
    throw forbidden('it must be an http or https URL without a user name')
  const isAllowedHost = isNamed(url, allowedHosts)
  if (!isAllowedHost && (url.protocol !== 'https:' || !looksPublic(hostOf(url))))
    throw forbidden(`it must be https to a public host, or to one in ${SETTING}`, SETTING)
  return { url, isAllowedHost }
}

function forbidden(rule: string, setting?: string): AppError {
  const message = `Provided url is forbidden: ${rule}`
  const details = { field: 'url', ...(setting !== undefined && { setting }) }
  return new AppError('forbidden', 'URL_FORBIDDEN', message, details)
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** Returns the host without the brackets of IPv6 and a trailing dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function looksPublic(host: string): boolean {
  if (isAddress(host)) return isPublicAddress(host)
  // A name without a dot belongs to the local network.
  return (
    host.includes('.') &&
    !localNames.some((name) => isOrIsBelow(host, name)) &&
    !host.split('.').includes('')
  )
}

function isNamed(url: URL, entries: readonly string[]): boolean {
  return entries.some((entry) => entry === '*' || names(entry, url))
}

/** True for a valid entry of the allowed hosts. */
export function isHostEntry(entry: string): boolean {
  if (entry === '*' || (entry.includes(':') && isAddress(entry))) return true
  return ENTRY.test(entry) && URL.canParse(`https://${entry}`)
}

/** Parses an entry like the host of a URL, so that both have the same spelling. */
function names(entry: string, url: URL): boolean {
  const isBareIpv6 = entry.includes(':') && isAddress(entry)
  const named = parseUrl(`${url.protocol}//${isBareIpv6 ? `[${entry}]` : entry}`)
  if (!named) return false
  const hasPort = !isBareIpv6 && /:\d+$/.test(entry)
  if (hasPort && named.port !== url.port) return false
  const host = hostOf(url)
  return isAddress(host)
    ? host === hostOf(named)
    : isOrIsBelow(host, hostOf(named).replace(/^\./, ''))
}

function isOrIsBelow(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`)
}
