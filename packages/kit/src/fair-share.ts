import { AppError } from './errors'

/** The parties that a share of a resource is counted for. */
export type HolderKind = 'user' | 'document' | 'network' | 'anonymous'

/** What is exhausted: the whole resource, or the share of one party. */
export type Full = 'whole' | HolderKind

/** Who holds an amount. Each party that is given is charged with all of it. */
export interface Holder {
  readonly user?: string | number
  readonly document?: string
  /** For callers that are not known yet, or anonymous. */
  readonly network?: string
  /** True for a caller without a credential that is known to be good. */
  readonly isAnonymous?: boolean
}

/** A user who holds a sixteenth or more leaves an eighth of the total to those who hold less. */
const RESERVE = { holding: 16, divisor: 8 }
/** Each party may hold the total divided by this, rounded up. */
const DIVISORS = { user: 4, document: 4, network: 8, anonymous: 2 } as const
const ANONYMOUS = 'anonymous'

/**
 * A bounded amount of a resource that many callers share, such as slots or bytes of memory: the only definition of a
 * fair share. One user, and one document, may hold a quarter of it, a network without a known user an eighth, and
 * anonymous callers together half. The last eighth is for users who hold little, so that a few who hold their whole shares
 * do not shut out the others. A party that holds nothing may take one item larger than its share, and one item
 * larger than the total is admitted when nothing is held: otherwise it never would be.
 */
export class FairShare {
  private total = 0
  private readonly held: Readonly<Record<HolderKind, Map<string | number, number>>> = {
    user: new Map(),
    document: new Map(),
    network: new Map(),
    anonymous: new Map(),
  }
  private readonly shares: Readonly<Record<HolderKind, number>>

  /**
   * @param most the amount that all callers together may hold
   * @param least the smallest share, for resources of which there are few
   */
  constructor(
    private readonly most: number,
    least = 1,
  ) {
    const shareOf = (kind: HolderKind) => Math.max(least, Math.ceil(most / DIVISORS[kind]))
    this.shares = {
      user: shareOf('user'),
      document: shareOf('document'),
      network: shareOf('network'),
      anonymous: shareOf('anonymous'),
    }
  }

  /** The amount that all callers hold together. */
  get used(): number {
    return this.total
  }

  /** The amount that one party holds. */
  heldBy(kind: 'user' | 'document' | 'network', name: string | number): number {
    return this.held[kind].get(name) ?? 0
  }

  /**
   * Returns what would be exceeded if a holder took this amount; undefined when there is room.
   * @param before amount that the same item holds already, when it arrives in parts
   */
  check(holder: Holder, amount: number, before = 0): Full | undefined {
    const { user, document, network, isAnonymous } = holder
    if (this.exceeds('document', document, amount, before)) return 'document'
    if (this.exceeds('user', user, amount, before)) return 'user'
    if (this.exceeds('network', network, amount, before)) return 'network'
    if (isAnonymous && this.exceeds('anonymous', ANONYMOUS, amount, before)) return 'anonymous'
    if (this.total <= before) return undefined
    if (this.total + amount > this.most) return 'whole'
    return this.total + amount > this.most - this.reserveFrom(user) ? 'user' : undefined
  }

  /** Records an amount as taken, without checking for room (see `check`). Release it with `give`. */
  take(holder: Holder, amount: number): void {
    this.total += amount
    this.charge(holder, amount)
  }

  /** Releases an amount; the holder must be that of `take`. */
  give(holder: Holder, amount: number): void {
    this.total -= amount
    this.charge(holder, -amount)
  }

  /** The amount that this user must leave to others. */
  private reserveFrom(user: string | number | undefined): number {
    const held = user === undefined ? 0 : (this.held.user.get(user) ?? 0)
    return held * RESERVE.holding < this.most ? 0 : Math.floor(this.most / RESERVE.divisor)
  }

  private exceeds(
    kind: HolderKind,
    name: string | number | undefined,
    amount: number,
    before: number,
  ): boolean {
    if (name === undefined) return false
    const held = this.held[kind].get(name) ?? 0
    return held > before && held + amount > this.shares[kind]
  }

  private charge({ user, document, network, isAnonymous }: Holder, amount: number): void {
    if (user !== undefined) add(this.held.user, user, amount)
    if (document !== undefined) add(this.held.document, document, amount)
    if (network !== undefined) add(this.held.network, network, amount)
    if (isAnonymous) add(this.held.anonymous, ANONYMOUS, amount)
  }
}

/** A resource as refusals describe it. */
export interface SharedResource {
  /** What there is too much of: "concurrent imports". */
  readonly what: string
  /** When to try again, in milliseconds. */
  readonly retryAfterMs: string
}

/** The error for a caller who is refused: `unavailable` when the whole resource is in use, else `too_many`. */
export function toBusyError(full: Full, { what, retryAfterMs }: SharedResource): AppError {
  const hint = { retryAfterMs }
  const message = (whose: string) => `too many ${what}${whose}, retry later`
  switch (full) {
    case 'user':
      return new AppError('too_many', 'USER_BUSY', message(' of this user'), hint)
    case 'document':
      return new AppError('too_many', 'DOCUMENT_BUSY', message(' for this document'), hint)
    case 'network':
      return new AppError('too_many', 'NETWORK_BUSY', message(' from this network'), hint)
    case 'anonymous':
      return new AppError('too_many', 'ANONYMOUS_BUSY', message(' of unknown callers'), hint)
    case 'whole':
      return new AppError('unavailable', 'SERVICE_BUSY', message(''), hint)
  }
}

/** Parties that hold nothing are forgotten. */
function add(held: Map<string | number, number>, name: string | number, amount: number): void {
  const left = (held.get(name) ?? 0) + amount
  if (left > 0) held.set(name, left)
  else held.delete(name)
}
