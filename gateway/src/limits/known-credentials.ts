import { LRUCache } from 'lru-cache'
import { accessTokenCredential, isJwt } from '../access/credential'

/** How long a credential counts as good after its last use. */
const KNOWN_MS = 3600 * 1000
const MAX_KNOWN = 50_000
/**
 * Unique among keys, and among sessions, and far too short to guess the rest: so no credential is held in
 * memory in clear text.
 */
const PREFIX_LENGTH = 12

/** The part of a credential under which it is remembered and counted. */
export function prefixOf(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH)
}

/**
 * The credentials that were good within the last hour, and their users: their requests are not charged to the
 * network that they come from, where others may be presenting wrong ones. This decides only what a request is
 * charged to, never what it may do.
 */
export class KnownCredentials {
  private readonly users = new LRUCache<string, number>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    // By default the cache sets a timer in every millisecond in which it is used.
    ttlResolution: 1_000,
  })

  /** The user of a credential, or of an access token itself; undefined when it was not seen lately. */
  findUser(presented: string): number | undefined {
    const secret = isJwt(presented) ? accessTokenCredential(presented).secret : presented
    return this.users.get(prefixOf(secret))
  }

  /** Records a credential that was good. */
  add(secret: string, userId: number): void {
    this.users.set(prefixOf(secret), userId)
  }

  /** Records that a credential is no longer good. */
  remove(secret: string): void {
    this.users.delete(prefixOf(secret))
  }
}
