import { AppError, toAppError } from '@sheaf/kit/errors'
import type { Credential } from '../access/credential'
import { networkOf } from './client-address'
import { TokenBuckets, type Standing } from './token-buckets'

/** Whose request it is. */
export interface RatedCaller {
  /** Undefined for the anonymous user. */
  readonly credential?: Credential
  /** Where the request came from. */
  address(): string
}

/** Keys that turned out to be none, for each request that is allowed. */
const FAILURE_SHARE = 100
const LEAST_FAILURES = 100
/** Unique among keys, and among sessions, and far from enough to guess the rest: so none is kept in memory in the clear. */
const PREFIX_LENGTH = 12

/**
 * How many requests a minute one API key or session may make, and one address without; and how many wrong ones an address may
 * present before its unknown ones are not even looked up. Each gateway counts for itself.
 */
export class RateLimits {
  private readonly keys: TokenBuckets
  private readonly addresses: TokenBuckets
  private readonly failures: TokenBuckets
  /** True when there are no limits. */
  private readonly isOff: boolean

  /** @param perMinute 0 for no limits */
  constructor(perMinute: number) {
    this.isOff = perMinute === 0
    this.keys = new TokenBuckets('key', perMinute)
    this.addresses = new TokenBuckets('address', perMinute)
    const failures = Math.max(LEAST_FAILURES, Math.floor(perMinute / FAILURE_SHARE))
    this.failures = new TokenBuckets('failures', failures)
  }

  /**
   * Counts a request of a caller who is who they say, and adds to `headers` what they have left. Throws AppError `too_many`
   * when that is nothing.
   */
  count(caller: RatedCaller, headers: string[]): void {
    if (this.isOff) return
    const name = nameOf(caller)
    const standing =
      name === undefined ? this.addresses.take(networkOf(caller.address())) : this.keys.take(name)
    headers.push('RateLimit-Policy', standing.policy, 'RateLimit', standing.text)
    requireLeft(standing)
  }

  /**
   * Asks directory about a caller, unless they have nothing left or their address has presented too many wrong keys: then
   * throws AppError `too_many`, and directory hears nothing of it.
   */
  async ask<T>(caller: RatedCaller, ask: () => T | Promise<T>): Promise<T> {
    if (this.isOff) return ask()
    const name = nameOf(caller)
    const network = networkOf(caller.address())
    if (name === undefined) {
      requireLeft(this.addresses.peek(network))
      return ask()
    }
    requireLeft(this.keys.peek(name))
    // Taken before the answer, so that many at once are not all let through; given back when the key is a good one.
    requireLeft(this.failures.take(network))
    let isWrong = false
    try {
      return await ask()
    } catch (error) {
      isWrong = toAppError(error)?.code === 'unauthenticated'
      throw error
    } finally {
      if (!isWrong) this.failures.give(network)
    }
  }
}

/** What the bucket of a caller is called; undefined for the anonymous user. */
function nameOf({ credential }: RatedCaller): string | undefined {
  return credential?.secret.slice(0, PREFIX_LENGTH)
}

function requireLeft({ isRefused, retryAfterMs }: Standing): void {
  if (!isRefused) return
  throw new AppError('too_many', 'RATE_LIMITED', 'too many requests, retry later', {
    retryAfterMs: String(Math.ceil(retryAfterMs)),
  })
}
