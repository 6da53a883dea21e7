import { AppError, toAppError } from '@sheaf/kit/errors'
import type { Credential } from '../access/credential'
import { networkOf } from './client-address'
import { KnownCredentials, prefixOf } from './known-credentials'
import { TokenBuckets, type BucketState } from './token-buckets'

/** The caller to limit. */
export interface RateLimitedCaller {
  /** Undefined for the anonymous user. */
  readonly credential?: Credential
  /** Address of the client. */
  address(): string
}

/** Invalid keys allowed, as a fraction of the allowed requests: one in this many. */
const FAILURE_SHARE = 100
const LEAST_FAILURES = 100
/** Rows a minute that a network may add with one form. */
const FORM_ROWS_OF_NETWORK = 60
/** Rows a minute that may be added with one form. */
const FORM_ROWS = 600

/**
 * Requests per minute for each API key or session, and for each client address without one; and how many
 * invalid keys an address may present before its unknown keys are no longer looked up; those that were good
 * within the last hour still are. The user of a form has no name, and counts as a client address; rows are counted by form
 * as well. Each gateway counts on its own.
 */
export class RateLimits {
  /** The credentials seen good lately. */
  readonly known = new KnownCredentials()
  private readonly keys: TokenBuckets
  private readonly addresses: TokenBuckets
  private readonly failures: TokenBuckets
  private readonly formNetworks = new TokenBuckets('form-address', FORM_ROWS_OF_NETWORK)
  private readonly forms = new TokenBuckets('form', FORM_ROWS)
  /** True without limits. */
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
   * Counts a request of an authenticated caller, and adds the remaining allowance to `headers`. Throws
   * AppError `too_many` when it is exhausted.
   */
  count(caller: RateLimitedCaller, headers: string[]): void {
    if (this.isOff) return
    const name = nameOf(caller)
    const standing =
      name === undefined ? this.addresses.take(networkOf(caller.address())) : this.keys.take(name)
    headers.push('RateLimit-Policy', standing.policy, 'RateLimit', standing.text)
    requireLeft(standing)
  }

  /** Counts a row that is to be added with a form. Throws AppError `too_many` beyond what one network, or all, may add. */
  countFormRow(caller: RateLimitedCaller, form: string): void {
    requireLeft(this.formNetworks.take(`${networkOf(caller.address())} ${form}`))
    requireLeft(this.forms.take(form))
  }

  /**
   * Resolves a caller through directory. Throws AppError `too_many`, without calling directory, when the
   * caller's allowance is exhausted or their address has presented too many invalid keys.
   */
  async ask<T>(caller: RateLimitedCaller, ask: () => T | Promise<T>): Promise<T> {
    if (this.isOff) return ask()
    const name = nameOf(caller)
    const network = networkOf(caller.address())
    if (caller.credential === undefined) {
      requireLeft(this.addresses.peek(network))
      return ask()
    }
    requireLeft(name === undefined ? this.addresses.peek(network) : this.keys.peek(name))
    if (name !== undefined && this.known.findUser(name) !== undefined) return ask()
    // Taken before the response, so that concurrent requests cannot all pass; returned when the key is valid.
    requireLeft(this.failures.take(network))
    let isWrong = false
    try {
      return await ask()
    } catch (error) {
      isWrong = isWrongSecret(error)
      throw error
    } finally {
      if (!isWrong) this.failures.give(network)
    }
  }
}

/** Name of a caller's bucket; undefined for the anonymous user, with or without a form. */
function nameOf({ credential }: RateLimitedCaller): string | undefined {
  return credential && credential.kind !== 'formKey' ? prefixOf(credential.secret) : undefined
}

function isWrongSecret(error: unknown): boolean {
  const { code, reason } = toAppError(error) ?? {}
  return code === 'unauthenticated' || reason === 'FORM_NOT_FOUND'
}

function requireLeft({ isRefused, retryAfterMs }: BucketState): void {
  if (!isRefused) return
  throw new AppError('too_many', 'RATE_LIMITED', 'too many requests, retry later', {
    retryAfterMs: String(Math.ceil(retryAfterMs)),
  })
}
