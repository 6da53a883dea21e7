import type { ReadPage } from '../grid/rows/rows-api'
import type { RowStore } from '../grid/rows/row-store'

/** A lane that is drawn. */
export interface LaneHandle {
  readonly key: string
  readonly readPage: ReadPage
  readonly store: RowStore
  /** Resolves to the index of a row in the store, also of one that is not loaded; undefined if it is not in the lane. */
  readonly indexOf: (rowId: number) => Promise<number | undefined>
  /** Scrolls to the row at an index of the store, and with `focuses` gives it the focus. */
  readonly reveal: (index: number, focuses: boolean) => void
  /** Gives the focus to the card that had it last, or else to the first one. Returns false without cards. */
  readonly enter: () => boolean
}

/** The lanes of a board that are drawn, and the card that gets the focus once it is. */
export class LaneHandles {
  private readonly handles = new Map<string, LaneHandle>()
  private readonly listeners = new Set<() => void>()
  /** Where the lanes were scrolled to when they were last drawn. */
  private readonly scrolled = new Map<string, number>()
  private focusedId: number | undefined

  /** Adds a lane. Returns a function that removes it. */
  register(handle: LaneHandle): () => void {
    this.handles.set(handle.key, handle)
    this.changed()
    return () => {
      if (this.handles.get(handle.key) === handle) this.handles.delete(handle.key)
    }
  }

  /** Must be called when a lane has read rows. */
  readonly changed = (): void => {
    for (const listener of this.listeners) listener()
  }

  /** Calls back when lanes have read rows. Returns a function that unsubscribes. */
  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** The lane with a key; undefined if it is not drawn. */
  of(key: string): LaneHandle | undefined {
    return this.handles.get(key)
  }

  /** Keeps where a lane is scrolled to, for when it is drawn again. */
  keepScroll(key: string, top: number): void {
    this.scrolled.set(key, top)
  }

  /** Where a lane was scrolled to when it was last drawn. */
  scrollOf(key: string): number {
    return this.scrolled.get(key) ?? 0
  }

  /** The lanes that have read a row. */
  holding(rowId: number): readonly LaneHandle[] {
    return [...this.handles.values()].filter(({ store }) => store.indexOf(rowId) !== undefined)
  }

  /** Gives the focus to the card of a row when it is drawn next. */
  focusNext(rowId: number): void {
    this.focusedId = rowId
  }

  /** Returns true, once, for the row whose card gets the focus. */
  takesFocus(rowId: number): boolean {
    if (this.focusedId !== rowId) return false
    this.focusedId = undefined
    return true
  }
}
