import type { Groups } from '@sheaf/client'

/** Minimum pause between two reads, and the pause as a multiple of the duration of the last one. */
const PAUSE_MS = 400
const PAUSE_FACTOR = 4
/** Pause after a read that failed. */
const RETRY_MS = 5_000
const TIMEOUT_MS = 60_000

/** Reads the groups of the rows that are shown. */
export type ReadGroups = (signal: AbortSignal) => Promise<Groups>

/** Groups of rows with their aggregates, which are read again when rows change. */
export class LiveGroups {
  private state: Groups | undefined
  private readonly listeners = new Set<() => void>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private readAt = -Infinity
  private tookMs = 0
  private count = 0
  private isOpen = false
  private read: ReadGroups | undefined

  /** The groups as read last; undefined until then. With `watch`, the arguments of `useSyncExternalStore`. */
  readonly readState = (): Groups | undefined => this.state

  /** Calls back when the groups were read. Returns a function that unsubscribes. */
  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Permits reads by itself. Returns a function that ends this. */
  open(): () => void {
    this.isOpen = true
    return () => {
      this.isOpen = false
      clearTimeout(this.timer)
      this.timer = undefined
    }
  }

  /** Sets how the groups are read from now on, for example with other aggregates. */
  use(read: ReadGroups): void {
    this.read = read
  }

  /** Reads the groups now. An earlier read that ends later is ignored. */
  async load(signal: AbortSignal): Promise<Groups> {
    if (!this.read) throw new Error('it is not known how groups are read')
    clearTimeout(this.timer)
    this.timer = undefined
    const number = ++this.count
    const begun = performance.now()
    const groups = await this.read(signal)
    this.readAt = performance.now()
    this.tookMs = this.readAt - begun
    if (number === this.count) {
      this.state = groups
      for (const listener of this.listeners) listener()
    }
    return groups
  }

  /** Reads the groups soon, after rows have changed; several changes are one read. */
  schedule(): void {
    if (!this.isOpen) return
    const pause = Math.max(PAUSE_MS, this.tookMs * PAUSE_FACTOR)
    this.start(Math.max(0, this.readAt + pause - performance.now()))
  }

  private start(waitMs: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      // What the old groups say is shown until then.
      this.load(AbortSignal.timeout(TIMEOUT_MS)).catch(() => {
        if (this.isOpen) this.start(RETRY_MS)
      })
    }, waitMs)
  }
}
