import {
  ConflictError,
  RateLimitedError,
  UnavailableError,
  type Change,
  type Position,
  type PresentSession,
} from '@sheaf/client'
import { docOf } from '../api/sheaf'

/**
 * State of the stream: `connecting` until it is connected, first or again after a short interruption; `off`
 * while it fails.
 */
export type LiveState = 'connecting' | 'live' | 'off'

/** Callbacks for changes. */
export interface ChangeListener {
  readonly onChange: (change: Change) => void
  /** Changes may have been missed: the shown data must be refetched. */
  readonly onGap: () => void
  /** The log is another one, or was cut: positions of earlier changes may be those of others. */
  readonly onOtherLog?: () => void
}

type PresenceListener = (sessions: readonly PresentSession[]) => void

const INITIAL_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
/** A hidden page disconnects after this time, because browsers allow few connections per site. */
const HIDDEN_MS = 60_000

/** Streams the changes of a document. Reconnects automatically and resumes after the last received change. */
export class ChangeStream {
  /** The name by which this page is present in the document while it is connected. */
  readonly session = newSession()
  private state: LiveState = 'connecting'
  private readonly stateListeners = new Set<() => void>()
  private readonly listeners = new Set<ChangeListener>()
  private readonly presenceListeners = new Set<PresenceListener>()
  /** Ends the connection; undefined while there is none. */
  private connection: AbortController | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isOpen = false
  private retryMs = INITIAL_RETRY_MS
  /** Names the log of the last known position, also while none is known; undefined if the next log may be any. */
  private log: string | undefined
  /** True if the shown data may be older than the start of the stream. */
  private mayHaveMissed: boolean

  /**
   * @param position the last known change, with an ETag that names its log; undefined if none is known: then changes are followed
   *   from the position that the document has when the stream is opened, and what was read before is a gap
   */
  constructor(
    private readonly docId: string,
    private position?: Position,
  ) {
    this.mayHaveMissed = position === undefined
  }

  /** Connects. Returns a function that disconnects. */
  readonly open = (): (() => void) => {
    this.isOpen = true
    document.addEventListener('visibilitychange', this.handleVisibility)
    // A page opened in the background connects when it becomes visible.
    if (document.hidden) this.mayHaveMissed = true
    else void this.connect()
    return () => {
      this.isOpen = false
      document.removeEventListener('visibilitychange', this.handleVisibility)
      this.disconnect()
    }
  }

  /** Returns the sequence number of the last received change, or of the start of the stream; 0 if none is known. */
  readonly readPosition = (): number => this.position?.seq ?? 0

  /** Calls the listener for every change from now on. Returns a function that unsubscribes. */
  readonly subscribe = (listener: ChangeListener): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /**
   * Calls the listener with who is present, for every change of it from now on; with nobody when the connection ends. Returns a
   * function that unsubscribes.
   */
  readonly watchPresence = (listener: PresenceListener): (() => void) => {
    this.presenceListeners.add(listener)
    return () => this.presenceListeners.delete(listener)
  }

  /** The current state. With `watchState`, the arguments of `useSyncExternalStore`. */
  readonly readState = (): LiveState => this.state

  /** Calls back when the state changes. Returns a function that unsubscribes. */
  readonly watchState = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  /** Connects now, and has everything read anew: what failed to be read meanwhile is announced by no change. */
  readonly catchUp = (): void => {
    this.notifyGap()
    if (document.hidden) return
    clearTimeout(this.timer)
    void this.connect()
  }

  private readonly handleVisibility = () => {
    clearTimeout(this.timer)
    if (document.hidden) this.timer = setTimeout(this.pause, HIDDEN_MS)
    else void this.connect()
  }

  private readonly pause = () => {
    this.disconnect()
    this.setState('connecting')
  }

  private disconnect(): void {
    clearTimeout(this.timer)
    this.connection?.abort()
    this.connection = undefined
    this.notifyPresence([])
  }

  private readonly notifyPresence = (sessions: readonly PresentSession[]): void => {
    for (const listener of this.presenceListeners) listener(sessions)
  }

  private setState(state: LiveState): void {
    if (state === this.state) return
    this.state = state
    for (const listener of this.stateListeners) listener()
  }

  /** Follows the changes after the current position of the document, or after the last received one. */
  private async connect(): Promise<void> {
    if (this.connection || !this.isOpen) return
    const connection = new AbortController()
    this.connection = connection
    try {
      await this.follow(connection.signal)
    } catch (error) {
      if (connection.signal.aborted) return
      this.disconnect()
      // After another error, the position may be one of a log that is no longer there.
      if (!isTemporary(error)) this.forgetPosition(error)
      this.retry()
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const doc = docOf(this.docId)
    const position = this.position ?? (await doc.position({ signal }))
    // Changes made between fetching the shown data and this position are not part of the stream.
    if (!this.position && this.mayHaveMissed) this.notifyGap()
    const log = logOf(position)
    if (this.log !== undefined && this.log !== log) this.notifyOtherLog()
    this.log = log
    this.position = position
    this.mayHaveMissed = false
    const onConnection = (isConnected: boolean) => {
      this.retryMs = INITIAL_RETRY_MS
      this.setState(isConnected ? 'live' : 'connecting')
    }
    const onPresence = (sessions: readonly PresentSession[]) => {
      if (!signal.aborted) this.notifyPresence(sessions)
    }
    const { seq: after, etag } = position
    const options = { after, etag, signal, session: this.session, onConnection, onPresence }
    for await (const change of doc.changes(options)) {
      if (signal.aborted) return
      this.position = { seq: change.seq, etag }
      for (const { onChange } of this.listeners) onChange(change)
    }
  }

  /** The user is signed out, the document was deleted, access was revoked, or the log was replaced or cut. */
  private forgetPosition(error: unknown): void {
    if (this.position) this.notifyGap()
    this.position = undefined
    if (!(error instanceof ConflictError)) return
    this.notifyOtherLog()
    // What is recorded from now on belongs to the log that the next position names.
    this.log = undefined
  }

  private notifyOtherLog(): void {
    for (const { onOtherLog } of this.listeners) onOtherLog?.()
  }

  private notifyGap(): void {
    for (const { onGap } of this.listeners) onGap()
  }

  private retry(): void {
    this.mayHaveMissed ||= !this.position
    this.setState('off')
    if (!this.isOpen) return
    this.timer = setTimeout(() => void this.connect(), this.retryMs)
    this.retryMs = Math.min(this.retryMs * 2, MAX_RETRY_MS)
  }
}

/** Returns a name that no other page has. */
function newSession(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns the part of a tag that names the log. */
const logOf = ({ etag }: Position): string | undefined => /"([^".]+)\./.exec(etag)?.[1]

const isTemporary = (error: unknown): boolean =>
  error instanceof UnavailableError || error instanceof RateLimitedError
