import { hash } from 'node:crypto'
import { isTokenFresh } from '@sheaf/auth/caller-token'
import { roleFromWire, type RoleName } from '@sheaf/auth/roles'
import {
  Role,
  type AccessService,
  type ResolveAccessRequest,
  type ResolveAccessResponse,
  type VerifiedUser,
} from '@sheaf/protos/sheaf/directory/v1/access'
import type { Lease } from './access-lease'
import type { Credential } from './credential'
import { LeasedCache } from './leased-cache'

/**
 * A cached token is returned only while it stays valid for at least this long, so that it outlives the call.
 */
const TOKEN_MARGIN_MS = 5_000
const RESOLVE_TIMEOUT_MS = 10_000
const MAX_ENTRIES = 20_000

/** The access to resolve: caller, document and site. */
export interface AccessQuestion {
  /** Undefined for the anonymous user. */
  readonly credential: Credential | undefined
  /** Document as the path names it; empty when the request concerns none. */
  readonly document: string
  /** Domain of the site addressed; empty when the URL names none. */
  readonly site: string
}

/** A document that the caller may view, or more. */
export interface GrantedDocument {
  readonly docId: string
  readonly role: RoleName | undefined
  /** The role of the user; higher than `role` when the scope of the key limits it. */
  readonly unscopedRole?: RoleName | undefined
  /** Address (host:port) of the document-data instance that has its file. */
  readonly homeAddress: string
  /** What that instance understands of its requests. */
  readonly homeProtocol: number
}

/** An access decision of directory: the caller's identity, and the token that proves it to other services. */
export interface Grant {
  readonly userId: number
  readonly token: string
  /** Epoch milliseconds. */
  readonly tokenExpiresAt: number
  /** When directory was asked, by `performance.now()`. */
  readonly askedAt: number
  readonly document?: GrantedDocument
  /** Id of the view that is the form of a form key; else 0. */
  readonly formViewId: number
}

interface Entry {
  readonly grant: Grant
  /** Epoch milliseconds. */
  readonly usableUntil: number
}

interface Flight {
  readonly version: number
  readonly answer: Promise<Grant>
}

/**
 * Resolves access through directory and caches the decisions only while stale decisions are impossible: while
 * the access lease is held, until the token, the key, the access token or the session expires, and until the next change of
 * access. Denials are not cached. Without the lease every lookup goes to directory, which is always correct.
 */
export class AccessCache {
  private readonly entries: LeasedCache<Entry>
  private readonly flights = new Map<string, Flight>()

  /** @param verify returns the user of an access token, or throws AppError */
  constructor(
    private readonly access: Pick<AccessService, 'resolveAccess'>,
    private readonly lease: Lease,
    private readonly verify: (accessToken: string) => Promise<VerifiedUser>,
    maxEntries = MAX_ENTRIES,
  ) {
    this.entries = new LeasedCache(lease, { entries: maxEntries })
  }

  /** Returns the cached decision if it is usable, without calling directory. */
  find(question: AccessQuestion): Grant | undefined {
    return this.lookUp(keyOf(question))
  }

  /**
   * Returns the decision, resolving it if it is not cached. Throws AppError: `unauthenticated`, `not_found`,
   * `forbidden`, `unavailable` or `timeout`.
   */
  get(question: AccessQuestion, requestId: string): Grant | Promise<Grant> {
    const { lease } = this
    if (!lease.isHeld()) return this.ask(question, requestId)
    const key = keyOf(question)
    const known = this.lookUp(key)
    if (known) return known
    // A call in flight is shared only if it began after the last change of access.
    const flight = this.flights.get(key)
    if (flight && flight.version === lease.version) return flight.answer
    const answer = this.ask(question, requestId, key)
    this.flights.set(key, { version: lease.version, answer })
    const land = () => {
      if (this.flights.get(key)?.answer === answer) this.flights.delete(key)
    }
    answer.then(land, land)
    return answer
  }

  private lookUp(key: string): Grant | undefined {
    const entry = this.entries.find(key)
    return entry && isUsable(entry) ? entry.grant : undefined
  }

  /** Evicts one decision whose home address has turned out to be stale. */
  forget(question: AccessQuestion): void {
    const key = keyOf(question)
    this.entries.delete(key)
    this.flights.delete(key)
  }

  /** Not cancelled when the client disconnects: other requests may share the call. */
  private async ask(question: AccessQuestion, requestId: string, key?: string): Promise<Grant> {
    const askedAt = performance.now()
    const request = await this.toRequest(question)
    const deadline = Date.now() + RESOLVE_TIMEOUT_MS
    const answer = await this.access.resolveAccess(request, { deadline, requestId })
    const grant = fromWire(answer, askedAt)
    if (key !== undefined) this.keep(key, grant, answer)
    return grant
  }

  private async toRequest(question: AccessQuestion): Promise<ResolveAccessRequest> {
    const { credential, document, site } = question
    return {
      credential: credential && (await this.toWire(credential)),
      document,
      site,
      // Stronger roles are checked against the response, so that one decision serves reads and writes.
      neededRole: document === '' ? Role.UNSPECIFIED : Role.VIEWERS,
    }
  }

  private async toWire(credential: Credential): Promise<ResolveAccessRequest['credential']> {
    const { kind, secret } = credential
    if (kind !== 'accessToken') return { $case: kind, value: secret }
    return { $case: 'verifiedUser', value: await this.verify(credential.token) }
  }

  private keep(key: string, grant: Grant, answer: ResolveAccessResponse): void {
    const { accessVersion: version, tokenExpiresAt, keyExpiresAt } = answer
    const usableUntil = Math.min(tokenExpiresAt - TOKEN_MARGIN_MS, keyExpiresAt || Infinity)
    if (usableUntil > Date.now()) this.entries.keep(key, { grant, usableUntil }, version)
  }
}

/**
 * Compares with a clock that may be set back: that must not extend an entry, since services would reject its
 * token.
 */
function isUsable({ grant, usableUntil }: Entry): boolean {
  return usableUntil > Date.now() && isTokenFresh(grant.tokenExpiresAt)
}

/**
 * Length prefixes keep keys unambiguous; credentials are hashed, so that none is held in memory in clear
 * text.
 */
function keyOf({ credential, document, site }: AccessQuestion): string {
  const { kind = '', secret = '' } = credential ?? {}
  return hash(
    'sha256',
    `${kind}:${secret.length}:${secret}|${document.length}:${document}|${site}`,
    'base64',
  )
}

function fromWire(
  { caller, document, token, tokenExpiresAt, formViewId }: ResolveAccessResponse,
  askedAt: number,
): Grant {
  return {
    userId: caller?.userId ?? 0,
    token,
    tokenExpiresAt,
    askedAt,
    formViewId,
    document: document && {
      docId: document.docId,
      role: roleFromWire(document.role),
      unscopedRole: roleFromWire(document.unscopedRole),
      homeAddress: document.homeAddress,
      homeProtocol: document.homeProtocol,
    },
  }
}
