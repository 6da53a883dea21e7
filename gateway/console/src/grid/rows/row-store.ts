import { isPassing } from '../../api/passing-error'
import type { Row } from '../../api/resources'
import { CursorIndex } from './cursor-index'
import { RecentChanges, type CellChanges } from './recent-changes'
import { BLOCK_ROWS, blockOf, RowBlocks, type LoadedRow } from './row-blocks'
import { plainPlaces, type RowPlaces } from './row-places'
import type { ReadPage, RowsPage } from './rows-api'

/** Blocks prefetched beyond the viewport, in the scroll direction and in the opposite direction. */
const AHEAD = 4
const BEHIND = 1
/** Concurrent block requests. */
const MAX_REQUESTS = 3
/** After a jump, rows are requested once scrolling has paused for this long, or at the latest after the maximum. */
const SCROLL_PAUSE_MS = 40
const MAX_SCROLL_PAUSE_MS = 120
/** Maximum number of block requests of the grid that wait for rows. */
const MAX_WAITERS = 60
/** Minimum pause between two refreshes, and the pause as a multiple of the duration of the last one. */
const REFRESH_MS = 250
const REFRESH_PAUSE_FACTOR = 4
const RETRY_MS = 3_000

/** Callbacks for changed rows. */
export interface RowListener {
  /** Cells of loaded rows have changed. `isOwn` is true for changes made in this grid. */
  readonly onRows: (rows: readonly LoadedRow[], isOwn: boolean) => void
  /** The rows of loaded blocks may have changed. */
  readonly onBlocks: () => void
  readonly onTotal: (total: number) => void
}

/** State of a row store. */
export interface StoreState {
  /** Size of the view; undefined until the first page is loaded. */
  readonly total: number | undefined
  /** Number of rows, without the headers of groups. */
  readonly rows: number | undefined
  /** Why rows could not be loaded; undefined once some were. */
  readonly error: unknown
}

interface Waiter {
  readonly onFound: (rows: readonly Row[], total: number | undefined) => void
  /** Called when the request is dropped because too many others wait. */
  readonly onDropped: () => void
}

/** Maximum number of rows whose position in the log is remembered. */
const MAX_READ_AT = 1_000

/**
 * The rows of a grid, loaded in blocks: visible blocks first, then, after the first scrolling, those ahead in its direction.
 * Requests for blocks that are no longer needed are aborted. Memory is bounded, independent of the length of
 * the table.
 */
export class RowStore {
  private readonly index = new CursorIndex()
  private readonly blocks = new RowBlocks()
  private readonly recent = new RecentChanges()
  private readonly requests = new Map<number, AbortController>()
  private readonly waiters = new Map<number, Waiter>()
  private readonly stateListeners = new Set<() => void>()
  private listener: RowListener | undefined
  private state: StoreState = { total: undefined, rows: undefined, error: undefined }
  private first = 0
  private last = 0
  private isScrollingDown = true
  /** Until then nothing is prefetched: many tables are looked at, and left. */
  private hasScrolled = false
  private isOpen = false
  /** True after an error, until it is time to try again. */
  private isHalted = false
  /** True after the rows could not be counted. */
  private isCountDue = false
  private scrolledAt = 0
  private scrollTimer: ReturnType<typeof setTimeout> | undefined
  private retryTimer: ReturnType<typeof setTimeout> | undefined
  private refreshTimer: ReturnType<typeof setTimeout> | undefined
  private refreshedAt = 0
  private refreshTook = 0
  /** Positions of the log at which single rows were read. */
  private readonly readAt = new Map<number, number>()

  /** @param show returns a stored row with what is shown in place of it: values that were entered and are not stored yet */
  constructor(
    private readonly readPage: ReadPage,
    private readonly show: (row: Row) => Row = (row) => row,
    readonly places: RowPlaces = plainPlaces,
  ) {}

  /** Starts loading and notifies the listener. Returns a function that stops both. */
  open(listener: RowListener): () => void {
    this.isOpen = true
    this.listener = listener
    this.pump()
    return () => {
      this.isOpen = false
      this.listener = undefined
      clearTimeout(this.scrollTimer)
      clearTimeout(this.retryTimer)
      clearTimeout(this.refreshTimer)
      this.refreshTimer = undefined
      this.resetPositions()
    }
  }

  /** The current state. With `watchState`, the arguments of `useSyncExternalStore`. */
  readonly readState = (): StoreState => this.state

  /** Calls back when the state changes. Returns a function that unsubscribes. */
  readonly watchState = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  /**
   * Provides the rows of a block as soon as they are loaded. Stale rows are provided at once; `onBlocks`
   * announces fresh ones.
   */
  request(number: number, waiter: Waiter): void {
    const rows = this.blocks.get(number)
    if (rows) return waiter.onFound(rows.map(this.show), this.state.total)
    this.waiters.delete(number)
    this.waiters.set(number, waiter)
    for (const [oldest, { onDropped }] of this.waiters) {
      if (this.waiters.size <= MAX_WAITERS) break
      this.waiters.delete(oldest)
      onDropped()
    }
    this.pump()
  }

  /** Sets the range of visible rows. An empty one, of a grid that has not been drawn yet, is ignored. */
  setViewport(first: number, last: number): void {
    if (last < first || (first === this.first && last === this.last)) return
    if (first !== this.first) {
      this.isScrollingDown = first > this.first
      this.hasScrolled = true
    }
    const isClose = last >= this.first - BLOCK_ROWS && first <= this.last + BLOCK_ROWS
    this.first = Math.max(0, first)
    this.last = last
    this.abortUnneeded()
    clearTimeout(this.scrollTimer)
    const now = performance.now()
    // Dragging the scroll bar passes thousands of rows that need not be loaded.
    if (isClose || now - this.scrolledAt > MAX_SCROLL_PAUSE_MS) {
      this.scrolledAt = now
      this.pump()
    } else this.scrollTimer = setTimeout(() => this.pump(), SCROLL_PAUSE_MS)
  }

  /** Returns the row at an index; undefined if it is not loaded. */
  at(index: number): Row | undefined {
    const row = this.blocks.at(index)
    return row && this.show(row)
  }

  /** Returns true if the row at an index is loaded and need not be read again. */
  isFresh(index: number): boolean {
    return !this.blocks.needsLoad(blockOf(index))
  }

  /** Returns a loaded row close to an index whose row is not loaded; undefined if there is none yet. */
  preview(index: number): LoadedRow | undefined {
    return this.blocks.near(index)
  }

  /** Returns a row as it is stored, by its id; undefined if it is not loaded. */
  find(id: number): Row | undefined {
    return this.blocks.find(id)?.row
  }

  /** Returns the index of a row by its id; undefined if it is not loaded. */
  indexOf(id: number): number | undefined {
    return this.blocks.find(id)?.index
  }

  /** True for ids of rows that are new. Rows that were restored can be among the loaded ones. */
  areNew(ids: readonly number[]): boolean {
    const last = this.blocks.lastId()
    return ids.every((id) => id > last)
  }

  /** Replaces loaded rows by what was read at a position of the log. */
  replace(rows: readonly Row[], seq: number): void {
    for (const row of rows) {
      // Changes of the log that arrive later, and were made earlier, would show old values.
      this.readAt.delete(row.id)
      this.readAt.set(row.id, seq)
      this.blocks.replace(row)
    }
    for (const id of this.readAt.keys()) {
      if (this.readAt.size <= MAX_READ_AT) break
      this.readAt.delete(id)
    }
    this.redraw(rows.map(({ id }) => id))
  }

  /** Shows loaded rows again, after what is shown in place of them has changed. */
  redraw(ids: readonly number[]): void {
    const rows = ids.flatMap((id) => this.blocks.find(id) ?? [])
    if (rows.length > 0) this.listener?.onRows(rows.map(this.shown), true)
  }

  /** Applies a change of the log to the loaded rows, and to pages that were requested before it and arrive after it. */
  apply(change: CellChanges): void {
    this.recent.add(change)
    const changed = this.blocks.apply(this.withoutOlder(change))
    if (changed.length > 0) this.listener?.onRows(changed.map(this.shown), false)
  }

  /** Schedules a refresh of the visible rows and the row count, after rows were added, removed or moved. */
  scheduleRefresh(onlyAtEnd: boolean): void {
    if (onlyAtEnd) this.blocks.markStale(blockOf(this.state.total ?? 0))
    else this.markStale()
    const pause = Math.max(REFRESH_MS, this.refreshTook * REFRESH_PAUSE_FACTOR)
    const wait = Math.max(REFRESH_MS, this.refreshedAt + pause - performance.now())
    this.refreshTimer ??= setTimeout(() => void this.refresh(), wait)
  }

  /** Refreshes at once. Resolves when the row count is known. */
  async refresh(): Promise<void> {
    clearTimeout(this.refreshTimer)
    this.refreshTimer = undefined
    const begun = performance.now()
    try {
      const request = { cursor: '', offset: 0, limit: 1, isCounted: true }
      const { total } = await this.readPage(request, AbortSignal.timeout(60_000))
      if (total !== undefined) this.setTotal(total)
      this.clearError()
      this.isCountDue = false
    } catch (error) {
      this.isCountDue = true
      this.handleError(error)
    }
    this.refreshedAt = performance.now()
    this.refreshTook = this.refreshedAt - begun
    this.pump()
  }

  /** Invalidates the positions of rows. The loaded rows are shown until fresh ones arrive. */
  markStale(): void {
    this.blocks.markStale()
    this.resetPositions()
  }

  /** Reads all rows again for a view of another size, of which headers and rows are at other places. */
  rearrange(total: number): void {
    this.markStale()
    this.setTotal(total)
    this.pump()
  }

  /** Retries failed requests. If no rows are missing, counts them: any answer clears the error. */
  retry(): void {
    clearTimeout(this.retryTimer)
    this.isHalted = false
    const isMissing = this.neededBlocks().some((number) => this.blocks.needsLoad(number))
    if (this.isCountDue || !isMissing) void this.refresh()
    else this.pump()
  }

  private readonly shown = ({ index, row }: LoadedRow): LoadedRow => ({
    index,
    row: this.show(row),
  })

  /** Returns a change without the rows that were read after it. */
  private withoutOlder(change: CellChanges): CellChanges {
    const { seq, rowIds, columns } = change
    const isLater = (id: number) => (this.readAt.get(id) ?? 0) < seq
    if (rowIds.every(isLater)) return change
    const pick = <Item>(items: readonly Item[]) => items.filter((_, at) => isLater(rowIds[at] ?? 0))
    const picked = Object.entries(columns).map(([colId, values]) => [colId, pick(values)])
    return { seq, rowIds: pick(rowIds), columns: Object.fromEntries(picked) as typeof columns }
  }

  private resetPositions(): void {
    this.index.clear()
    for (const request of this.requests.values()) request.abort()
    this.requests.clear()
  }

  private setState(state: StoreState): void {
    const { total, rows, error } = this.state
    if (state.total === total && state.rows === rows && state.error === error) return
    this.state = state
    for (const listener of this.stateListeners) listener()
  }

  private setTotal(total: number): void {
    const { total: before } = this.state
    const rows = this.places.countRows(total)
    if (total === before) return this.setState({ ...this.state, rows })
    // The previous last block may be incomplete or too long.
    if (before !== undefined) this.blocks.markStale(blockOf(Math.min(total, before)))
    this.blocks.truncate(total)
    this.setState({ ...this.state, total, rows })
    this.listener?.onTotal(total)
  }

  private clearError(): void {
    this.isHalted = false
    this.setState({ ...this.state, error: undefined })
  }

  private handleError(error: unknown): void {
    if (!this.isOpen) return
    this.isHalted = true
    this.setState({ ...this.state, error })
    clearTimeout(this.retryTimer)
    if (isPassing(error)) this.retryTimer = setTimeout(() => this.retry(), RETRY_MS)
  }

  /** Returns the blocks to load, by descending priority. */
  private neededBlocks(): number[] {
    const { total } = this.state
    const end = total === undefined ? Infinity : Math.max(0, blockOf(total - 1))
    const from = Math.min(blockOf(this.first), end)
    const to = Math.min(blockOf(this.last), end)
    const visible = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
    // With the cursors of the visible blocks, the next ones are found without skipping rows.
    if (!this.hasScrolled || visible.some((number) => this.blocks.needsLoad(number))) return visible
    const below = (count: number) => Array.from({ length: count }, (_, offset) => to + 1 + offset)
    const above = (count: number) => Array.from({ length: count }, (_, offset) => from - 1 - offset)
    const others = this.isScrollingDown
      ? [...below(AHEAD), ...above(BEHIND)]
      : [...above(AHEAD), ...below(BEHIND)]
    return [...visible, ...others.filter((number) => number >= 0 && number <= end)]
  }

  /** Aborts requests for blocks that are no longer needed. */
  private abortUnneeded(needed = this.neededBlocks()): void {
    for (const [number, request] of this.requests)
      if (!needed.includes(number)) {
        request.abort()
        this.requests.delete(number)
      }
  }

  private pump(): void {
    if (!this.isOpen || this.isHalted) return
    clearTimeout(this.scrollTimer)
    const needed = this.neededBlocks()
    this.abortUnneeded(needed)
    for (const number of needed) {
      if (this.requests.size >= MAX_REQUESTS) return
      if (this.blocks.needsLoad(number) && !this.requests.has(number)) void this.load(number)
    }
  }

  private async load(number: number): Promise<void> {
    const request = new AbortController()
    this.requests.set(number, request)
    const position = number * BLOCK_ROWS
    // Counted once. Later changes of the count arrive by the change stream.
    const isCounted = this.state.total === undefined
    const from = this.index.nearest(position)
    try {
      const page = await this.readPage({ ...from, limit: BLOCK_ROWS, isCounted }, request.signal)
      if (this.requests.get(number) !== request) return
      this.requests.delete(number)
      this.addPage(number, page)
    } catch (error) {
      if (this.requests.get(number) !== request) return
      this.requests.delete(number)
      if (!request.signal.aborted) this.handleError(error)
    }
    this.pump()
  }

  private addPage(number: number, page: RowsPage): void {
    const { rows, nextCursor, seq } = page
    const position = number * BLOCK_ROWS
    this.clearError()
    if (nextCursor !== null && rows.length > 0) this.index.add(position + rows.length, nextCursor)
    this.updateTotal(position, page)
    const isReplaced = this.blocks.set(number, rows)
    const later = this.recent.since(seq)
    if (later) for (const change of later) this.blocks.apply(change)
    else this.blocks.markStale(number)
    const waiter = this.waiters.get(number)
    this.waiters.delete(number)
    waiter?.onFound((this.blocks.get(number) ?? rows).map(this.show), this.state.total)
    if (isReplaced) this.listener?.onBlocks()
  }

  /** Updates the row count if a page determines it: it was requested, or the page is the last one. */
  private updateTotal(position: number, { rows, nextCursor, total }: RowsPage): void {
    const isLast = nextCursor === null && (rows.length > 0 || position === 0)
    if (total !== undefined) this.setTotal(total)
    else if (isLast) this.setTotal(position + rows.length)
    else if (rows.length === 0) this.scheduleRefresh(true)
  }
}
