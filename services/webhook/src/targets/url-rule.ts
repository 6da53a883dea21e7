import { AppError } from '@sheaf/kit/errors'
import { isAddress, isPublicAddress } from './addresses'

/** Names of the machine itself and of local networks, with what is below them. */
const localNames = ['localhost', 'local', 'internal', 'home.arpa']
/** Parsers of addresses drop some of these; none belongs in one. */
// eslint-disable-next-line no-control-regex -- which is what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/

/** A name or an address of IPv4, or one of IPv6 in brackets, and a port or none. */
const ENTRY = /^(\.?[^\s/\\?#@*:.[\]]+(\.[^\s/\\?#@*:.[\]]+)*\.?|\[[\da-f:.]+\])(:\d+)?$/i

/** Where deliveries go. */
export interface Target {
  /** As it was parsed, in the normal form of WHATWG: the host of `hostname` has no disguise. */
  readonly url: URL
  /** True when the operator has named the host: then its addresses may be private, and http will do. */
  readonly isAllowedHost: boolean
}

/**
 * The target that a URL names, when deliveries may go there: https to a host of the public internet, or https or http to
 * one that `allowedHosts` names. An entry is a `host`, for all its ports and all names below it, a `host:port`, or `*`.
 * A name is judged by its looks: what it resolves to is to be checked with `isPublicAddress` unless `isAllowedHost`.
 * Throws AppError `forbidden`.
 */
export function checkUrl(text: string, allowedHosts: readonly string[]): Target {
  const url = CONTROL.test(text) ? undefined : parseUrl(text)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '') throw forbidden()
  const isAllowedHost = isNamed(url, allowedHosts)
  if (!isAllowedHost && (url.protocol !== 'https:' || !looksPublic(hostOf(url)))) throw forbidden()
  return { url, isAllowedHost }
}

function forbidden(): AppError {
  return new AppError('forbidden', 'URL_FORBIDDEN', 'Provided url is forbidden', { field: 'url' })
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** Host without the brackets of IPv6 and the dot that may end a name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function looksPublic(host: string): boolean {
  if (isAddress(host)) return isPublicAddress(host)
  // A name without a dot is one of the local network, whatever it is.
  return (
    host.includes('.') &&
    !localNames.some((name) => isOrIsBelow(host, name)) &&
    !host.split('.').includes('')
  )
}

function isNamed(url: URL, entries: readonly string[]): boolean {
  return entries.some((entry) => entry === '*' || names(entry, url))
}

/** True for what can stand in the list of allowed hosts, and opens something. */
export function isHostEntry(entry: string): boolean {
  if (entry === '*' || (entry.includes(':') && isAddress(entry))) return true
  return ENTRY.test(entry) && URL.canParse(`https://${entry}`)
}

/** An entry is read as the host of a URL is, so that both have one spelling. */
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
