import { connect } from 'node:net'
import type { NetConnectOpts } from 'node:net'
import { EngineError, messageOf } from './engine-error'

const defaultPorts = { PostgreSQL: 5432, NATS: 4222 } as const

/** Name of a server in messages for the operator. */
export type ServerName = keyof typeof defaultPorts

/** Returns the URL of a server on this machine, with its credentials. */
export function serverUrl(
  scheme: 'postgres' | 'nats',
  login: { user: string; password: string },
  place: { port: number; path?: string },
): string {
  const user = encodeURIComponent(login.user)
  const password = encodeURIComponent(login.password)
  return `${scheme}://${user}:${password}@127.0.0.1:${place.port}${place.path ?? ''}`
}

/** Returns the addresses of a URL from the operator; NATS permits several servers, separated by commas. */
export function addressesOf(server: ServerName, url: string): NetConnectOpts[] {
  return url.split(',').map((part) => {
    const parsed = parseUrl(server, part.trim())
    const port = Number(parsed.port || defaultPorts[server])
    const socketFolder = parsed.searchParams.get('host')
    if (socketFolder?.startsWith('/')) return { path: `${socketFolder}/.s.PGSQL.${port}` }
    // IPv6 addresses have brackets in URLs only.
    return { host: parsed.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1', port }
  })
}

/** Resolves if a server listens at one of the URL's addresses, else throws an error of one sentence. */
export async function checkReachable(server: ServerName, url: string): Promise<void> {
  const addresses = addressesOf(server, url)
  const problems: string[] = []
  for (const address of addresses) {
    try {
      return await knock(address, 5_000)
    } catch (error) {
      problems.push(`${nameOf(address)} (${messageOf(error)})`)
    }
  }
  // Names only host and port, since the URL contains a password.
  throw new EngineError(`${server} cannot be reached at ${problems.join(', ')}`)
}

function parseUrl(server: ServerName, url: string): URL {
  const full = url.includes('://') ? url : `nats://${url}`
  if (!URL.canParse(full)) throw new EngineError(`the address given for ${server} is not a URL`)
  return new URL(full)
}

function knock(address: NetConnectOpts, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, timeout: timeoutMs })
    const settle = (error?: Error) => {
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    socket.once('connect', () => settle())
    socket.once('timeout', () => settle(new Error(`no answer within ${timeoutMs / 1000} s`)))
    socket.once('error', settle)
  })
}

function nameOf(address: NetConnectOpts): string {
  return 'path' in address ? address.path : `${address.host}:${address.port}`
}
