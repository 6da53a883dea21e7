import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { freePort } from '@sheaf/engines/free-port'
import { PortTakenError, StartError } from './start-error'

/** Below the usual range of ephemeral ports, so that no outgoing connection takes a port during a restart. */
const LOWEST = 20_000
const HIGHEST = 32_000
const ATTEMPTS = 50
const MOST_STARTS = 3

/** Returns a free port for a service, not in `taken`, and adds it to `taken`. */
export async function pickPort(host: string, taken: Set<number>): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const wanted = randomInt(LOWEST, HIGHEST)
    if (taken.has(wanted) || (await freePort(host, wanted)) !== wanted) continue
    taken.add(wanted)
    return wanted
  }
  return freePort(host)
}

/** Throws StartError when the port cannot be bound. */
export async function requireListenable(host: string, port: number): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
  if (code === undefined) return
  if (code === 'EADDRINUSE') {
    throw new StartError(
      `port ${port} on ${host} is in use: set SHEAF_PORT to another port, or to 0 for any free port`,
    )
  }
  if (code === 'EACCES')
    throw new StartError(`permission denied for port ${port}: set SHEAF_PORT to a port above 1023`)
  throw new StartError(`SHEAF_HOST ${host} is not an address of this machine (${code})`)
}

/**
 * Calls `start` until it does not throw PortTakenError, at most three times. A chosen port cannot be reserved
 * for a process that is yet to start, so another program may take it first.
 */
export async function withFreshPorts<T>(start: () => Promise<T>): Promise<T> {
  for (let starts = 1; ; starts++) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof PortTakenError) || starts === MOST_STARTS) throw error
    }
  }
}
