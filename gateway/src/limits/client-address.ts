import { isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'

/**
 * The address that a request comes from. Each of the `proxies` before the gateway, which are trusted, has added to
 * X-Forwarded-For whom it was asked by; what stands further left was written by whoever likes.
 */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: number): string {
  const direct = socket.remoteAddress ?? ''
  if (proxies === 0) return direct
  const { 'x-forwarded-for': given = '' } = headers
  const chain = String(given).split(',')
  return chain.at(-proxies)?.trim() || direct
}

/** What one party has of addresses: an IPv4 address, or the /64 of an IPv6 address, within which it can choose freely. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1] ?? address
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':')
    while (groups.length + rest.length < 8) groups.push('0')
    groups.push(...rest)
  }
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
