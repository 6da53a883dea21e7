import { CursorIndex } from './cursor-index'
import { RecentChanges, type CellChanges } from './recent-changes'
import type { Row } from '../../api/row'
import { BLOCK_ROWS, blockOf, RowBlocks, type ChangedRow } from './row-blocks'
import { GLIMPSE_ROWS, RowGlimpses, type Glimpse } from './row-previews'
import type { PageQuestion, RowsPage } from './rows-api'

/** Blocks that are read before they are looked at, in the direction that rows are scrolled. */
const AHEAD = 4
const BEHIND = 1
/** Blocks that are asked for at the same time. */
const MOST_FLIGHTS = 3
/** How still the bar must stand before rows far from those that are known are asked for; and how long that may last. */
const STILL_MS = 40
const LONGEST_STILL_MS = 120
/** Grids that wait for a block, at most. */
const MOST_WAITERS = 60
/** How soon rows are read anew after rows were added or removed, and how much of the time that may take. */
const RENEW_MS = 250
const RENEW_SHARE = 4
const RETRY_MS = 3_000
/** Rows between places that are looked up beforehand, so that a jump has few rows to pass over; and how many there are. */
const LEAST_STRIDE = 5_000
const MOST_PLACES = 100

/** What a grid has to know when rows change. */
export interface RowListener {
  /** Rows that are loaded have other cells; by what was done here, or by somebody else. */
  readonly onRows: (rows: readonly ChangedRow[], isOwn: boolean) => void
  /** Blocks that the grid has may hold other rows. */
  readonly onBlocks: () => void
  readonly onTotal: (total: number) => void
}

/** How far a store is. */
export interface StoreState {
  /** How many rows there are; undefined until the first are there. */
  readonly total: number | undefined
  /** Why rows that are looked at are not there. */
  readonly error: unknown
}

interface Waiter {
  readonly onFound: (rows: readonly Row[], total: number | undefined) => void
  readonly onGone: () => void
}

type ReadPage = (asked: PageQuestion, signal: AbortSignal) => Promise<RowsPage>

/**
 * The rows of a grid, read block by block: those that are looked at first, then those ahead. What is not looked at any
 * more is not waited for. Bounded, however long the table is.
 */
export class RowStore {
  private readonly index = new CursorIndex()
  private readonly blocks = new RowBlocks()
  private readonly recent = new RecentChanges()
  private readonly glimpses = new RowGlimpses()
  private readonly flights = new Map<number, AbortController>()
  private readonly waiters = new Map<number, Waiter>()
  private readonly stateListeners = new Set<() => void>()
  private listener: RowListener | undefined
  private state: StoreState = { total: undefined, error: undefined }
  private first = 0
  private last = 0
  private isDownward = true
  private isOpen = false
  private movedAt = 0
  private stillTimer: ReturnType<typeof setTimeout> | undefined
  private retryTimer: ReturnType<typeof setTimeout> | undefined
  private renewTimer: ReturnType<typeof setTimeout> | undefined
  private renewedAt = 0
  private renewTook = 0
  /** Stops the look-up of places; undefined when they are still to be looked up. */
  private survey: AbortController | undefined
  private surveyTimer: ReturnType<typeof setTimeout> | undefined
  private surveyedAt = -Infinity
  private surveyTook = 0

  /** @param isPlain true for rows in the order of their ids, in which passing over many is cheap */
  constructor(
    private readonly readPage: ReadPage,
    private readonly isPlain = false,
  ) {}

  /** Reads, and tells the listener, until the function that it returns is called. */
  open(listener: RowListener): () => void {
    this.isOpen = true
    this.listener = listener
    this.pump()
    return () => {
      this.isOpen = false
      this.listener = undefined
      clearTimeout(this.stillTimer)
      clearTimeout(this.retryTimer)
      clearTimeout(this.renewTimer)
      clearTimeout(this.surveyTimer)
      this.renewTimer = undefined
      this.surveyTimer = undefined
      this.forgetPlaces()
    }
  }

  /** The state now; with `watchState` for `useSyncExternalStore`. */
  readonly readState = (): StoreState => this.state

  /** Calls back when the state is another one, until the function that it returns is called. */
  readonly watchState = (tell: () => void): (() => void) => {
    this.stateListeners.add(tell)
    return () => this.stateListeners.delete(tell)
  }

  /** Hands out the rows of a block, now or when they are there; stale ones at once, and newer ones when the listener is told. */
  want(number: number, waiter: Waiter): void {
    const rows = this.blocks.get(number)
    if (rows) return waiter.onFound(rows, this.state.total)
    this.waiters.delete(number)
    this.waiters.set(number, waiter)
    for (const [oldest, { onGone }] of this.waiters) {
      if (this.waiters.size <= MOST_WAITERS) break
      this.waiters.delete(oldest)
      onGone()
    }
    this.pump()
  }

  /** Tells which rows are looked at. */
  look(first: number, last: number): void {
    if (first === this.first && last === this.last) return
    if (first !== this.first) this.isDownward = first > this.first
    const isNear = last >= this.first - BLOCK_ROWS && first <= this.last + BLOCK_ROWS
    this.first = Math.max(0, first)
    this.last = last
    this.dropFlights()
    clearTimeout(this.stillTimer)
    const now = performance.now()
    // Who drags the bar passes by thousands of rows, and looks at none of them.
    if (isNear || now - this.movedAt > LONGEST_STILL_MS) {
      this.movedAt = now
      this.pump()
    } else this.stillTimer = setTimeout(() => this.pump(), STILL_MS)
  }

  /** The row at a place, when it is loaded. */
  at(index: number): Row | undefined {
    return this.blocks.at(index)
  }

  /** A row not far from a place whose row is not loaded; undefined until some are there. */
  glimpse(index: number): Glimpse | undefined {
    return this.glimpses.near(index)
  }

  /** A row by its id, when it is loaded. */
  find(id: number): Row | undefined {
    return this.blocks.find(id)?.row
  }

  /** Puts a row in its place. */
  replace(row: Row): void {
    const changed = this.blocks.replace(row)
    if (changed) this.listener?.onRows([changed], true)
  }

  /** Remembers a change, for rows that were read before it and are not there yet. */
  remember(change: CellChanges): void {
    this.recent.add(change)
  }

  /** Changes cells of the rows that are there, as the log tells it. */
  apply(change: CellChanges): void {
    this.glimpses.apply(change)
    const changed = this.blocks.apply(change)
    if (changed.length > 0) this.listener?.onRows(changed, false)
  }

  /** Reads anew what is looked at, and how many rows there are, soon: rows were added or removed, or stand elsewhere. */
  renewSoon(onlyAtEnd: boolean): void {
    if (onlyAtEnd) this.blocks.makeStale(blockOf(this.state.total ?? 0))
    else this.makeStale()
    const pause = Math.max(RENEW_MS, this.renewTook * RENEW_SHARE)
    const wait = Math.max(RENEW_MS, this.renewedAt + pause - performance.now())
    this.renewTimer ??= setTimeout(() => void this.renew(), wait)
  }

  /** Reads it anew at once; resolves when it is known how many rows there are. */
  async renew(): Promise<void> {
    clearTimeout(this.renewTimer)
    this.renewTimer = undefined
    const begun = performance.now()
    try {
      const asked = { cursor: '', offset: 0, limit: 1, isCounted: true }
      const { total } = await this.readPage(asked, AbortSignal.timeout(60_000))
      if (total !== undefined) this.setTotal(total)
    } catch (error) {
      this.fail(error)
    }
    this.renewedAt = performance.now()
    this.renewTook = this.renewedAt - begun
    this.pump()
  }

  /** Forgets where rows stand; the old ones are shown until the new ones are there. */
  makeStale(): void {
    this.blocks.makeStale()
    this.forgetPlaces()
  }

  /** Tries again what has failed. */
  retry(): void {
    clearTimeout(this.retryTimer)
    this.setState({ ...this.state, error: undefined })
    this.pump()
  }

  private forgetPlaces(): void {
    this.index.clear()
    this.glimpses.clear()
    this.survey?.abort()
    this.survey = undefined
    for (const flight of this.flights.values()) flight.abort()
    this.flights.clear()
  }

  /** Has places looked up, unless they are; seldom enough where rows come and go all the time, and again where it failed. */
  private surveySoon(): void {
    if (!this.isPlain || this.survey || this.surveyTimer !== undefined) return
    const pause = Math.max(RENEW_MS, this.surveyTook * RENEW_SHARE)
    const wait = Math.max(0, this.surveyedAt + pause - performance.now())
    this.surveyTimer = setTimeout(() => {
      this.surveyTimer = undefined
      void this.lookUpPlaces(this.state.total ?? 0)
    }, wait)
  }

  private async lookUpPlaces(total: number): Promise<void> {
    const survey = new AbortController()
    this.survey = survey
    this.glimpses.clear()
    const begun = performance.now()
    try {
      await this.readPlaces(total, survey.signal)
    } catch {
      // Jumps pass over more rows without it, until a block that is read later has it tried again.
      if (this.survey === survey) this.survey = undefined
    }
    this.surveyedAt = performance.now()
    this.surveyTook = this.surveyedAt - begun
  }

  /** Reads some rows at places all over the table, one place after the other. */
  private async readPlaces(total: number, signal: AbortSignal): Promise<void> {
    const stride = Math.max(LEAST_STRIDE, Math.ceil(total / MOST_PLACES))
    this.glimpses.add(0, (this.blocks.get(0) ?? []).slice(0, GLIMPSE_ROWS))
    for (let position = stride; position < total; position += stride) {
      const from = this.index.nearest(position - GLIMPSE_ROWS)
      const asked = { ...from, limit: GLIMPSE_ROWS, isCounted: false }
      const { rows, nextCursor } = await this.readPage(asked, signal)
      if (signal.aborted || nextCursor === null) return
      this.index.note(position, nextCursor)
      this.glimpses.add(position - GLIMPSE_ROWS, rows)
    }
  }

  private setState(state: StoreState): void {
    if (state.total === this.state.total && state.error === this.state.error) return
    this.state = state
    for (const tell of this.stateListeners) tell()
  }

  private setTotal(total: number): void {
    const before = this.state.total
    if (total === before) return
    // The block that was the last one until now is not full, or too long.
    if (before !== undefined) this.blocks.makeStale(blockOf(Math.min(total, before)))
    this.blocks.cut(total)
    this.setState({ ...this.state, total })
    this.listener?.onTotal(total)
  }

  private fail(error: unknown): void {
    if (!this.isOpen) return
    this.setState({ ...this.state, error })
    clearTimeout(this.retryTimer)
    const status = (error as { status?: number }).status ?? 0
    if (status === 0 || status === 429 || status >= 500)
      this.retryTimer = setTimeout(() => this.retry(), RETRY_MS)
  }

  /** Blocks to have, in the order in which they matter. */
  private wanted(): number[] {
    const { total } = this.state
    const end = total === undefined ? Infinity : Math.max(0, blockOf(total - 1))
    const from = Math.min(blockOf(this.first), end)
    const to = Math.min(blockOf(this.last), end)
    const seen = Array.from({ length: to - from + 1 }, (_, place) => from + place)
    const below = (count: number) => Array.from({ length: count }, (_, place) => to + 1 + place)
    const above = (count: number) => Array.from({ length: count }, (_, place) => from - 1 - place)
    const others = this.isDownward
      ? [...below(AHEAD), ...above(BEHIND)]
      : [...above(AHEAD), ...below(BEHIND)]
    const isThere = (number: number) => number >= 0 && number <= end && total !== undefined
    return [...seen, ...others.filter(isThere)]
  }

  /** Stops waiting for blocks that are not looked at any more. */
  private dropFlights(wanted = this.wanted()): void {
    for (const [number, flight] of this.flights)
      if (!wanted.includes(number)) {
        flight.abort()
        this.flights.delete(number)
      }
  }

  private pump(): void {
    if (!this.isOpen || this.state.error !== undefined) return
    clearTimeout(this.stillTimer)
    const wanted = this.wanted()
    this.dropFlights(wanted)
    for (const number of wanted) {
      if (this.flights.size >= MOST_FLIGHTS) return
      if (this.blocks.isWanting(number) && !this.flights.has(number)) void this.load(number)
    }
  }

  private async load(number: number): Promise<void> {
    const flight = new AbortController()
    this.flights.set(number, flight)
    const position = number * BLOCK_ROWS
    // Counted once; what follows is told by the feed of changes.
    const isCounted = this.state.total === undefined
    const from = this.index.nearest(position)
    try {
      const page = await this.readPage({ ...from, limit: BLOCK_ROWS, isCounted }, flight.signal)
      if (this.flights.get(number) !== flight) return
      this.flights.delete(number)
      this.take(number, page)
    } catch (error) {
      if (this.flights.get(number) !== flight) return
      this.flights.delete(number)
      if (!flight.signal.aborted) this.fail(error)
    }
    this.pump()
  }

  private take(number: number, page: RowsPage): void {
    const { rows, nextCursor, seq } = page
    const position = number * BLOCK_ROWS
    if (nextCursor !== null && rows.length > 0) this.index.note(position + rows.length, nextCursor)
    this.takeTotal(position, page)
    const isReplaced = this.blocks.set(number, rows)
    const later = this.recent.since(seq)
    if (later) for (const change of later) this.blocks.apply(change)
    else this.blocks.makeStale(number)
    const waiter = this.waiters.get(number)
    this.waiters.delete(number)
    waiter?.onFound(this.blocks.get(number) ?? rows, this.state.total)
    if (isReplaced) this.listener?.onBlocks()
    this.surveySoon()
  }

  /** How many rows there are, when a page tells that: it was asked, or the page is the last one. */
  private takeTotal(position: number, { rows, nextCursor, total }: RowsPage): void {
    const isLast = nextCursor === null && (rows.length > 0 || position === 0)
    if (total !== undefined) this.setTotal(total)
    else if (isLast) this.setTotal(position + rows.length)
    else if (rows.length === 0) this.renewSoon(true)
  }
}
