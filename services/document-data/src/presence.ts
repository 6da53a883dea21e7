import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'

/** Sessions of all documents of this instance. */
const MAX_SESSIONS = 2_000
/** Sessions of one user in one document, so that nobody fills the list of a document. */
const MAX_OWN_SESSIONS = 10
/** Sessions in the list of a document. */
const MAX_LISTED = 100
const RETRY_MS = '10000'

/** Where in a document a session is: in a table, in a row, in a cell; empty and 0 for none. */
export interface PresencePlace {
  readonly tableId: string
  readonly rowId: number
  readonly colId: string
}

/** A client of a user that has a document open. */
export interface PresentSession {
  readonly userId: number
  readonly name: string
  readonly sessionId: string
  readonly place: PresencePlace
}

/** The session of a user in a document. */
export interface SessionOfUser {
  readonly docId: string
  readonly userId: number
  readonly sessionId: string
}

/** A session that is present until `leave` is called. */
export interface Visit {
  /** Returns who is present, in the order of their arrival; the first 100. */
  list(): PresentSession[]
  /**
   * Resolves to true when somebody came, left or moved since the last list, and to false after so many milliseconds, or when the
   * signal is aborted. Throws `unavailable` when all watching was ended.
   */
  change(ms: number, signal: AbortSignal): Promise<boolean>
  leave(): void
}

interface Session {
  present: PresentSession
  /** Calls that keep it present: a client may connect again before its former call has ended. */
  calls: number
}

interface OpenDocument {
  readonly sessions: Map<string, Session>
  readonly waiting: Set<() => void>
  /** Counts changes of the list. */
  version: number
}

const NOWHERE: PresencePlace = { tableId: '', rowId: 0, colId: '' }

/** Who has which document of this instance open, in memory only. */
export class Presence implements Disposable {
  private readonly documents = new Map<string, OpenDocument>()
  private readonly slots = new FairShare(MAX_SESSIONS)
  private isClosed = false

  /** Sessions that are present, counted once for each call. */
  get size(): number {
    return this.slots.used
  }

  /**
   * Makes a session present. Throws AppError `too_many` or `unavailable` when too many are.
   * @param name of the user
   */
  enter(who: SessionOfUser, name: string): Visit {
    this.requireOpen()
    const { docId, userId, sessionId } = who
    const holder = { user: userId, document: docId }
    this.requireRoom(who)
    this.slots.take(holder, 1)
    const document = this.documents.get(docId) ?? createDocument()
    this.documents.set(docId, document)
    const key = keyOf(who)
    const session = document.sessions.get(key) ?? {
      present: { userId, name, sessionId, place: NOWHERE },
      calls: 0,
    }
    session.calls += 1
    document.sessions.set(key, session)
    wake(document)
    const leave = () => {
      this.slots.give(holder, 1)
      session.calls -= 1
      if (session.calls > 0) return
      document.sessions.delete(key)
      if (document.sessions.size === 0) this.documents.delete(docId)
      wake(document)
    }
    return this.visit(document, leave)
  }

  /** Sets where a session is. Throws AppError `not_found` when it is not present. */
  move(who: SessionOfUser, place: PresencePlace): void {
    const document = this.documents.get(who.docId)
    const session = document?.sessions.get(keyOf(who))
    if (!document || !session)
      throw new AppError(
        'not_found',
        'PRESENCE_NOT_FOUND',
        'no stream of changes of this document is open with this session',
      )
    if (isSame(session.present.place, place)) return
    session.present = { ...session.present, place }
    wake(document)
  }

  /** Ends all watching permanently. */
  [Symbol.dispose](): void {
    this.isClosed = true
    for (const document of this.documents.values()) wake(document)
  }

  private visit(document: OpenDocument, leave: () => void): Visit {
    let seen = -1
    return {
      list() {
        seen = document.version
        return [...document.sessions.values()].slice(0, MAX_LISTED).map(({ present }) => present)
      },
      change: async (ms, signal) => {
        if (document.version === seen && !this.isClosed) await nextChange(document, ms, signal)
        this.requireOpen()
        return document.version !== seen
      },
      leave,
    }
  }

  private requireRoom(who: SessionOfUser): void {
    const { docId, userId } = who
    const full = this.slots.check({ user: userId, document: docId }, 1)
    if (full) throw toBusyError(full, { what: 'present sessions', retryAfterMs: RETRY_MS })
    const sessions = this.documents.get(docId)?.sessions ?? new Map<string, Session>()
    const own = [...sessions.values()].filter(({ present }) => present.userId === userId)
    if (own.length >= MAX_OWN_SESSIONS && !sessions.has(keyOf(who)))
      throw toBusyError('user', { what: 'present sessions', retryAfterMs: RETRY_MS })
  }

  private requireOpen(): void {
    if (this.isClosed)
      throw new AppError('unavailable', 'DOCUMENT_CLOSED', 'the service is stopping, retry later')
  }
}

const createDocument = (): OpenDocument => ({ sessions: new Map(), waiting: new Set(), version: 0 })

/** Users cannot take part in the sessions of others, whatever name they choose. */
const keyOf = ({ userId, sessionId }: SessionOfUser): string => `${userId} ${sessionId}`

const isSame = (one: PresencePlace, other: PresencePlace): boolean =>
  one.tableId === other.tableId && one.rowId === other.rowId && one.colId === other.colId

function wake(document: OpenDocument): void {
  document.version += 1
  for (const settle of [...document.waiting]) settle()
}

function nextChange({ waiting }: OpenDocument, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', settle)
      waiting.delete(settle)
      resolve()
    }
    const timer = setTimeout(settle, ms)
    signal.addEventListener('abort', settle)
    waiting.add(settle)
  })
}
