import { hash } from 'node:crypto'
import { isTokenFresh } from '@sheaf/auth/caller-token'
import { roleFromWire, type RoleName } from '@sheaf/auth/roles'
import {
  Role,
  type AccessService,
  type ResolveAccessRequest,
  type ResolveAccessResponse,
} from '@sheaf/protos/sheaf/directory/v1/access'
import { LRUCache } from 'lru-cache'
import type { Lease } from './access-lease'
import type { Credential } from './credential'

/** A cached token is given out only when it is good for this much longer: the call that carries it takes time too. */
const TOKEN_MARGIN_MS = 5_000
const RESOLVE_TIMEOUT_MS = 10_000
const MAX_ENTRIES = 20_000

/** Whose access, to what. */
export interface AccessQuestion {
  /** Undefined for the anonymous user. */
  readonly credential: Credential | undefined
  /** Document as the path names it; empty when none is concerned. */
  readonly document: string
  /** Domain of the site addressed; empty when the URL names none. */
  readonly site: string
}

/** A document that the caller may at least see. */
export interface GrantedDocument {
  readonly docId: string
  readonly role: RoleName | undefined
  /** Address (host:port) of the document-data instance that has its file. */
  readonly homeAddress: string
}

/** A decision of directory: who calls, and the token that proves it to other services. */
export interface Grant {
  readonly userId: number
  readonly token: string
  /** Epoch milliseconds. */
  readonly tokenExpiresAt: number
  readonly document?: GrantedDocument
}

interface Entry {
  readonly grant: Grant
  readonly version: number
  readonly usableUntil: number
}

interface Flight {
  readonly version: number
  readonly answer: Promise<Grant>
}

/**
 * Asks directory who may do what, and remembers the answers for as long as that cannot be seen: only while the lease is
 * held, never longer than token and key or session last, and never across a change of access. Refusals are not remembered.
 * Without the lease every question is asked afresh, which is always right.
 */
export class AccessCache {
  private readonly entries: LRUCache<string, Entry>
  private readonly flights = new Map<string, Flight>()

  constructor(
    private readonly access: Pick<AccessService, 'resolveAccess'>,
    private readonly lease: Lease,
    maxEntries = MAX_ENTRIES,
  ) {
    this.entries = new LRUCache({ max: maxEntries })
  }

  /** The decision if it is known and can be used, without asking. */
  find(question: AccessQuestion): Grant | undefined {
    return this.lease.isHeld() ? this.lookUp(keyOf(question)) : undefined
  }

  /** The decision, asked for if it is not known. Throws AppError: `unauthenticated`, `not_found`, `forbidden`, `unavailable` or `timeout`. */
  get(question: AccessQuestion, requestId: string): Grant | Promise<Grant> {
    const { lease } = this
    if (!lease.isHeld()) return this.ask(question, requestId)
    const key = keyOf(question)
    const known = this.lookUp(key)
    if (known) return known
    // An answer that is under way may be shared only if it was asked for after the last change of access.
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
    const entry = this.entries.get(key)
    return entry && entry.version >= this.lease.version && isUsable(entry) ? entry.grant : undefined
  }

  /** Forgets one decision, because what it says of the document's home has turned out to be old. */
  forget(question: AccessQuestion): void {
    const key = keyOf(question)
    this.entries.delete(key)
    this.flights.delete(key)
  }

  /** Not cancelled when the client goes away: others may wait for the same answer. */
  private async ask(question: AccessQuestion, requestId: string, key?: string): Promise<Grant> {
    const deadline = Date.now() + RESOLVE_TIMEOUT_MS
    const answer = await this.access.resolveAccess(toWire(question), { deadline, requestId })
    const grant = fromWire(answer)
    if (key !== undefined) this.keep(key, grant, answer)
    return grant
  }

  private keep(key: string, grant: Grant, answer: ResolveAccessResponse): void {
    const { accessVersion: version, tokenExpiresAt, keyExpiresAt } = answer
    if (!this.lease.isHeld() || version < this.lease.version) return
    const usableUntil = Math.min(tokenExpiresAt - TOKEN_MARGIN_MS, keyExpiresAt || Infinity)
    if (usableUntil > Date.now()) this.entries.set(key, { grant, version, usableUntil })
  }
}

/** A clock that was set back must not make an entry last: services would refuse its token. */
function isUsable({ grant, usableUntil }: Entry): boolean {
  return usableUntil > Date.now() && isTokenFresh(grant.tokenExpiresAt)
}

/** Lengths go first, so that no two questions run together; credentials are not kept in memory in the clear. */
function keyOf({ credential, document, site }: AccessQuestion): string {
  const { kind = '', secret = '' } = credential ?? {}
  return hash(
    'sha256',
    `${kind}:${secret.length}:${secret}|${document.length}:${document}|${site}`,
    'base64',
  )
}

function toWire({ credential, document, site }: AccessQuestion): ResolveAccessRequest {
  return {
    credential: credential && { $case: credential.kind, value: credential.secret },
    document,
    site,
    // Stronger roles are checked against the answer, so that one answer serves reads and writes.
    neededRole: document === '' ? Role.UNSPECIFIED : Role.VIEWERS,
  }
}

function fromWire({ caller, document, token, tokenExpiresAt }: ResolveAccessResponse): Grant {
  return {
    userId: caller?.userId ?? 0,
    token,
    tokenExpiresAt,
    document: document && {
      docId: document.docId,
      role: roleFromWire(document.role),
      homeAddress: document.homeAddress,
    },
  }
}
