import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** An address as `net` wants it. */
export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Finds the addresses of a host: all of them, at least one. Throws what DNS says otherwise. */
export type Resolve = (host: string) => Promise<readonly Address[]>

const QUERY = { timeout: 3_000, tries: 2 }
/** What a name server says of a name that it does not know; a file of hosts or a search list may know it. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])

/**
 * Finds addresses by asking name servers directly. The system's own look-up runs in the few threads that files and
 * compression need too, where some names whose servers are silent would hold up everything; it is asked only for names
 * that DNS says it does not know, and those of the local network, of which it can tell at once.
 */
export const resolveHost: Resolve = async (host) => {
  const family = isIP(host)
  if (family === 4 || family === 6) return [{ address: host, family }]
  if (!host.includes('.') || host.endsWith('.localhost')) return askSystem(host)
  const resolver = new Resolver(QUERY)
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found.map(toAddress)
  const reasons = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : [],
  )
  const lasting = reasons.find(({ code = '' }) => !UNKNOWN.has(code))
  if (lasting) throw lasting
  return askSystem(host)
}

async function askSystem(host: string): Promise<readonly Address[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => toAddress(address))
}

function toAddress(address: string): Address {
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}
