import { callWhole, seqOf } from '../api/client'
import { docPath } from '../api/resources'

/** What was done to rows of a table: `columns` tells what their cells became. */
export interface RowOperation {
  readonly action: 'addRows' | 'updateRows' | 'removeRows'
  readonly tableId: string
  readonly tableRef: number
  readonly rowIds: readonly number[]
  readonly columns: Readonly<Record<string, { readonly new?: readonly unknown[] }>>
}

/** What was done to a table or a column itself. */
export interface SchemaOperation {
  readonly action:
    'addTable' | 'updateTable' | 'removeTable' | 'addColumn' | 'updateColumn' | 'removeColumn'
  readonly tableId: string
  readonly tableRef: number
}

/** One change of a document, as its log tells it. */
export interface Change {
  readonly seq: number
  readonly time: string
  readonly userId: number | null
  readonly truncated?: true
  readonly operations: readonly (RowOperation | SchemaOperation)[]
}

/** Whether changes are told as they are made: `connecting` until they are for the first time, or again after a moment. */
export type LiveState = 'connecting' | 'live' | 'off'

/** Who follows changes. */
export interface ChangeListener {
  readonly onChange: (change: Change) => void
  /** Changes may have been missed: what is shown has to be fetched anew. */
  readonly onGap: () => void
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** A connection is one of the few that browsers open to a site: a page that nobody looks at gives it back. */
const HIDDEN_MS = 60_000

/** Follows the changes of one document, as long as it is open: connects again by itself, from where it was. */
export class LiveChanges {
  private state: LiveState = 'connecting'
  private readonly stateListeners = new Set<() => void>()
  private readonly listeners = new Set<ChangeListener>()
  private source: EventSource | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isOpen = false
  private isAsking = false
  private waitMs = FIRST_WAIT_MS
  /** The last change that is known; undefined when nothing is. */
  private seq: number | undefined
  /** True when what is shown may have been fetched long before it is known from where to follow. */
  private isLate = false

  constructor(private readonly docId: string) {}

  /** Connects, and stays connected until the function that it returns is called. */
  readonly open = (): (() => void) => {
    this.isOpen = true
    document.addEventListener('visibilitychange', this.look)
    // A page that is opened behind others connects when it is looked at.
    if (document.hidden) this.isLate = true
    else void this.connect()
    return () => {
      this.isOpen = false
      document.removeEventListener('visibilitychange', this.look)
      this.disconnect()
    }
  }

  /** Tells every change from now on, until the function that it returns is called. */
  readonly follow = (listener: ChangeListener): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** The state now; with `watchState` for `useSyncExternalStore`. */
  readonly readState = (): LiveState => this.state

  /** Calls back when the state is another one, until the function that it returns is called. */
  readonly watchState = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  private readonly look = () => {
    clearTimeout(this.timer)
    if (document.hidden) this.timer = setTimeout(this.leave, HIDDEN_MS)
    else if (!this.source) void this.connect()
  }

  private readonly leave = () => {
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
    for (const tell of this.stateListeners) tell()
  }

  /** Begins where the document is now, or goes on after the last change. */
  private async connect(): Promise<void> {
    if (this.isAsking || this.source || !this.isOpen) return
    this.isAsking = true
    try {
      const since = this.seq ?? seqOf(await callWhole('GET', `${docPath(this.docId)}/tables`))
      if (!this.isOpen) return
      // What was changed before it, and after what is shown was fetched, is told by nobody else.
      if (this.seq === undefined && this.isLate) this.tellGap()
      this.seq = since
      this.isLate = false
      this.listen(since)
    } catch {
      this.retry()
    } finally {
      this.isAsking = false
    }
  }

  private listen(since: number): void {
    const source = new EventSource(`${docPath(this.docId)}/changes?since=${since}`)
    this.source = source
    source.onopen = () => {
      this.waitMs = FIRST_WAIT_MS
      this.setState('live')
    }
    source.onerror = () => {
      // The browser connects again by itself, unless the answer was a refusal.
      if (source.readyState !== EventSource.CLOSED) return this.setState('connecting')
      this.startAnew()
    }
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      const change = JSON.parse(data) as Change
      this.seq = change.seq
      for (const { onChange } of this.listeners) onChange(change)
    })
    // The document, or the access to it, is gone; or the log is another one.
    source.addEventListener('end', () => this.startAnew())
  }

  private startAnew(): void {
    this.disconnect()
    this.seq = undefined
    this.tellGap()
    this.retry()
  }

  private tellGap(): void {
    for (const { onGap } of this.listeners) onGap()
  }

  private retry(): void {
    this.isLate ||= this.seq === undefined
    this.setState('off')
    if (!this.isOpen) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.connect(), this.waitMs)
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS)
  }
}
