import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** Address on which the engines listen. */
export const loopback = '127.0.0.1'

/** Returns a free TCP port: `preferred` if it is free, else any. */
export async function freePort(host = loopback, preferred?: number): Promise<number> {
  if (preferred !== undefined && (await tryListen(host, preferred)) !== undefined) return preferred
  const port = await tryListen(host, 0)
  if (port === undefined) throw new Error(`no free port on ${host}`)
  return port
}

function tryListen(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address() as AddressInfo
      server.close(() => resolve(address.port))
    })
  })
}
