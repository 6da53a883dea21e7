import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** An address in the form of `net`. */
export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves a host to all its addresses, at least one. Throws the DNS error otherwise. */
export type Resolve = (host: string) => Promise<readonly Address[]>

const QUERY = { timeout: 3_000, tries: 2 }
/** Codes of a name server for an unknown name, which a hosts file or a search list may resolve. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])

/**
 * Resolves addresses by querying name servers directly. The system's resolver runs in the small thread pool
 * that files and compression share, where a few names with unresponsive servers would block everything; it is
 * used only for names that DNS does not know, and for names of the local network, which it resolves at once.
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
