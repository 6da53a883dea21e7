import { IPv4, IPv6, isValid, parse } from 'ipaddr.js'

/** All public unicast addresses are assigned from this range. */
const GLOBAL_UNICAST = IPv6.parseCIDR('2000::/3')
/** Translates IPv4 addresses for IPv6-only hosts; the last 32 bits are the address. */
const NAT64 = IPv6.parseCIDR('64:ff9b::/96')
/** Missing in the ranges of ipaddr.js: the platform's internal endpoint on Azure. */
const PLATFORM = IPv4.parse('168.63.129.16')

/**
 * True for an address of the public internet, to which a delivery may go. False for all others: private,
 * loopback, link-local (cloud metadata), shared, multicast, reserved and tunnel addresses, and malformed
 * ones. An IPv4 address embedded in an IPv6 address is judged as IPv4.
 */
export function isPublicAddress(ip: string): boolean {
  if (!isAddress(ip)) return false
  const address = parse(ip)
  if (address.kind() === 'ipv4') return isPublicIpv4(address as IPv4)
  return isPublicIpv6(address as IPv6)
}

/** True for an address as resolvers write it: four decimal numbers, or IPv6 without a zone. */
export function isAddress(text: string): boolean {
  return (
    IPv4.isValidFourPartDecimal(text) ||
    (text.includes(':') && !text.includes('%') && isValid(text))
  )
}

function isPublicIpv4(address: IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== PLATFORM.toString()
}

function isPublicIpv6(address: IPv6): boolean {
  if (address.isIPv4MappedAddress()) return isPublicIpv4(address.toIPv4Address())
  if (address.match(NAT64)) return isPublicIpv4(new IPv4(address.toByteArray().slice(-4)))
  if (!address.match(GLOBAL_UNICAST) || address.range() !== 'unicast') return false
  const inside = tunnelled(address)
  return inside === undefined || isPublicIpv4(inside)
}

/** Returns the IPv4 address to which ISATAP would tunnel, whatever the network part is. */
function tunnelled(address: IPv6): IPv4 | undefined {
  const isIsatap = ((address.parts[4] ?? 0) & ~0x0200) === 0 && address.parts[5] === 0x5efe
  return isIsatap ? new IPv4(address.toByteArray().slice(-4)) : undefined
}

/**
 * Returns the network of an address, under which deliveries are counted: an IPv4 address, or the first half of
 * an IPv6 address, since one machine may have all addresses of the other half.
 */
export function networkOf(ip: string): string {
  if (!isAddress(ip)) return ip
  const address = parse(ip)
  if (address.kind() === 'ipv4') return address.toString()
  const ipv6 = address as IPv6
  if (ipv6.isIPv4MappedAddress()) return ipv6.toIPv4Address().toString()
  return IPv6.networkAddressFromCIDR(`${ipv6.toString()}/64`).toString()
}
