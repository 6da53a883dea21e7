import { isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'

/**
 * Returns the address of the client. Each of the trusted `proxies` in front of the gateway appends the
 * address of its client to X-Forwarded-For; entries further left can be forged.
 */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: number): string {
  const direct = socket.remoteAddress ?? ''
  if (proxies === 0) return direct
  const { 'x-forwarded-for': given = '' } = headers
  const chain = String(given).split(',')
  return chain.at(-proxies)?.trim() || direct
}

/** Returns the network that one party controls: an IPv4 address, or the /64 of an IPv6 address. */
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
