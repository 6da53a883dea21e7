import { IPv4, IPv6, isValid, parse } from 'ipaddr.js'

/** All that is routed in public is assigned from here. */
const GLOBAL_UNICAST = IPv6.parseCIDR('2000::/3')
/** Addresses of IPv4 for hosts that have IPv6 alone; the last 32 bits are the address. */
const NAT64 = IPv6.parseCIDR('64:ff9b::/96')
/** The ranges of ipaddr.js leave it out: what answers there is the machine's own platform (Azure), from within. */
const PLATFORM = IPv4.parse('168.63.129.16')

/**
 * True for an address of the public internet, to which a delivery may go. False for all others: private, loopback,
 * link-local (where clouds keep their metadata), shared, multicast, reserved, made for tunnels; and for what is no address.
 * An address of IPv4 inside one of IPv6 is judged as what it is.
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

/** The address of IPv4 to which ISATAP would tunnel, whatever the network part is. */
function tunnelled(address: IPv6): IPv4 | undefined {
  const isIsatap = ((address.parts[4] ?? 0) & ~0x0200) === 0 && address.parts[5] === 0x5efe
  return isIsatap ? new IPv4(address.toByteArray().slice(-4)) : undefined
}
