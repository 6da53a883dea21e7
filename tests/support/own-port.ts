import { randomInt } from 'node:crypto'
import { freePort } from '@sheaf/engines/free-port'

/** First of the ports to choose from, and their number: below those that the system gives to connections. */
const FIRST = 20_000
const COUNT = 10_000

/** Returns a free port on loopback, which nothing else is likely to take before it is used. */
export function ownPort(): Promise<number> {
  return freePort('127.0.0.1', FIRST + randomInt(COUNT))
}
