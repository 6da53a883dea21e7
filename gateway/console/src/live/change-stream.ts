import { callWithHeaders, seqOf } from '../api/client'
import { docPath } from '../api/resources'

/** An operation on rows of a table, with the new values by column. */
export interface RowOperation {
  readonly action: 'addRows' | 'updateRows' | 'removeRows'
  readonly tableId: string
  readonly tableRef: number
  readonly rowIds: readonly number[]
  readonly columns: Readonly<Record<string, { readonly new?: readonly unknown[] }>>
}

/** An operation on a table or a column. */
export interface SchemaOperation {
  readonly action:
    'addTable' | 'updateTable' | 'removeTable' | 'addColumn' | 'updateColumn' | 'removeColumn'
  readonly tableId: string
  readonly tableRef: number
}

/** An entry of the change log of a document. */
export interface Change {
  readonly seq: number
  readonly time: string
  readonly userId: number | null
  readonly truncated?: true
  readonly operations: readonly (RowOperation | SchemaOperation)[]
}

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
}

const INITIAL_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
/** A hidden page disconnects after this time, because browsers allow few connections per site. */
const HIDDEN_MS = 60_000

/** Streams the changes of a document. Reconnects automatically and resumes after the last received change. */
export class ChangeStream {
  private state: LiveState = 'connecting'
  private readonly stateListeners = new Set<() => void>()
  private readonly listeners = new Set<ChangeListener>()
  private source: EventSource | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isOpen = false
  private isConnecting = false
  private retryMs = INITIAL_RETRY_MS
  /** Sequence number of the last known change; undefined if none is known. */
  private seq: number | undefined
  /** True if the shown data may be older than the start of the stream. */
  private mayHaveMissed = false

  constructor(private readonly docId: string) {}

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

  /** Calls the listener for every change from now on. Returns a function that unsubscribes. */
  readonly subscribe = (listener: ChangeListener): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** The current state. With `watchState`, the arguments of `useSyncExternalStore`. */
  readonly readState = (): LiveState => this.state

  /** Calls back when the state changes. Returns a function that unsubscribes. */
  readonly watchState = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  private readonly handleVisibility = () => {
    clearTimeout(this.timer)
    if (document.hidden) this.timer = setTimeout(this.pause, HIDDEN_MS)
    else if (!this.source) void this.connect()
  }

  private readonly pause = () => {
    this.disconnect()
    this.setState('connecting')
  }

  private disconnect(): void {
    clearTimeout(this.timer)
    this.source?.close()
    this.source = undefined
  }

  private setState(state: LiveState): void {
    if (state === this.state) return
    this.state = state
    for (const listener of this.stateListeners) listener()
  }

  /** Connects at the current position of the document, or resumes after the last received change. */
  private async connect(): Promise<void> {
    if (this.isConnecting || this.source || !this.isOpen) return
    this.isConnecting = true
    try {
      const since = this.seq ?? seqOf(await callWithHeaders('GET', `${docPath(this.docId)}/tables`))
      if (!this.isOpen) return
      // Changes made between fetching the shown data and this position are not part of the stream.
      if (this.seq === undefined && this.mayHaveMissed) this.notifyGap()
      this.seq = since
      this.mayHaveMissed = false
      this.listen(since)
    } catch {
      this.retry()
    } finally {
      this.isConnecting = false
    }
  }

  private listen(since: number): void {
    const source = new EventSource(`${docPath(this.docId)}/changes?since=${since}`)
    this.source = source
    source.onopen = () => {
      this.retryMs = INITIAL_RETRY_MS
      this.setState('live')
    }
    source.onerror = () => {
      // The browser reconnects automatically unless the server responded with an error.
      if (source.readyState !== EventSource.CLOSED) return this.setState('connecting')
      this.restart()
    }
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      const change = JSON.parse(data) as Change
      this.seq = change.seq
      for (const { onChange } of this.listeners) onChange(change)
    })
    // The document was deleted, access was revoked, or the log was replaced.
    source.addEventListener('end', () => this.restart())
  }

  private restart(): void {
    this.disconnect()
    this.seq = undefined
    this.notifyGap()
    this.retry()
  }

  private notifyGap(): void {
    for (const { onGap } of this.listeners) onGap()
  }

  private retry(): void {
    this.mayHaveMissed ||= this.seq === undefined
    this.setState('off')
    if (!this.isOpen) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.connect(), this.retryMs)
    this.retryMs = Math.min(this.retryMs * 2, MAX_RETRY_MS)
  }
}
