import { InfiniteRowModelModule, type Module } from 'ag-grid-community'
import { MAX_HEIGHT, ScrollScale } from './scroll-scale'

/** For this long after the wheel turned or a finger moved, scrolling is exact: browsers animate it. In milliseconds. */
const WHEEL_MS = 500

/** Height of a row for which the grid has no setting, in pixels. */
const ROW_PIXELS = 34

interface Scroller {
  getVScrollPosition(): { readonly top: number; readonly bottom: number }
  setVerticalScrollPosition(top: number): void
}

/** The parts of AG Grid that are used. They are not part of its API: see `ScaledHeightsModule`. */
interface Beans {
  readonly gos?: { get(name: 'rowHeight'): number | undefined }
  readonly eventSvc: {
    addListener(event: string, listener: () => void): void
    removeListener(event: string, listener: () => void): void
    dispatchEvent(event: { readonly type: string }): void
  }
  readonly ctrlsSvc: {
    whenReady(
      owner: object,
      callback: (parts: { readonly gridBodyCtrl: { readonly eGridViewport: HTMLElement } }) => void,
    ): void
    getScrollFeature(): Scroller
  }
}

/**
 * Takes the place of the service by which AG Grid scales tall tables, with the same members. That one begins to scale
 * where browsers no longer place rows exactly, moves several rows for each that the wheel should, and rounds.
 */
class ScaledHeights {
  readonly beanName = 'rowContainerHeight'
  /** True when the height is scaled. */
  stretching = false
  /** Height of the element with the rows. */
  uiContainerHeight: number | null = null
  stickyBottomRowsHeight = 0
  /** Pixels by which rows are drawn above their position. */
  divStretchOffset = 0
  private readonly scale = new ScrollScale()
  private beans: Beans | undefined
  private rowsHeight: number | null = null
  private wheelUntil = 0
  private readonly listening = new AbortController()

  wireBeans(beans: Beans): void {
    this.beans = beans
  }

  postConstruct(): void {
    const { eventSvc, ctrlsSvc } = this.beans ?? {}
    eventSvc?.addListener('bodyHeightChanged', this.updateOffset)
    ctrlsSvc?.whenReady(this, ({ gridBodyCtrl: { eGridViewport } }) => {
      const options = { passive: true, signal: this.listening.signal }
      const begin = () => (this.wheelUntil = performance.now() + WHEEL_MS)
      for (const name of ['wheel', 'touchmove'])
        eGridViewport.addEventListener(name, begin, options)
      // On the scroll bar.
      eGridViewport.addEventListener('pointerdown', () => (this.wheelUntil = 0), options)
    })
  }

  /** For `whenReady`: what to do in the end. */
  addDestroyFunc(end: () => void): void {
    this.listening.signal.addEventListener('abort', end)
  }

  destroy(): void {
    this.listening.abort()
    this.beans?.eventSvc.removeListener('bodyHeightChanged', this.updateOffset)
  }

  /** Follows the scroll position. */
  readonly updateOffset = (): void => {
    if (!this.stretching) {
      // The table may become taller than an element can be, and must stay where it is then.
      if (this.rowsHeight) this.scale.follow(this.position().top, false)
      return
    }
    this.resize()
    const { top } = this.position()
    const isWheel = performance.now() < this.wheelUntil
    if (isWheel) this.wheelUntil = Math.max(this.wheelUntil, performance.now() + WHEEL_MS / 2)
    this.scrollTo(this.scale.follow(top, isWheel))
    this.show()
  }

  /** Sets the height of all rows; null when they are laid out for printing. */
  setModelHeight(height: number | null): void {
    // Before it has rows, the grid says NaN.
    this.rowsHeight = Number.isNaN(height) ? 0 : height
    const corrected = this.resize()
    this.stretching = height !== null && this.scale.isScaled
    this.show()
    this.scrollTo(corrected)
  }

  /** Where to draw a row. One that is kept without being in view, since it has the focus, must not make the element taller. */
  getRealPixelPosition(position: number): number {
    const drawn = position - this.divStretchOffset
    const row = this.beans?.gos?.get('rowHeight') ?? ROW_PIXELS
    return this.stretching ? Math.min(drawn, this.scale.height - row) : drawn
  }

  getScrollPositionForPixel(position: number): number {
    return this.scale.aimAt(position)
  }

  getAdjustedUiContainerHeight(): number | null {
    return this.uiContainerHeight === null
      ? null
      : this.uiContainerHeight - this.stickyBottomRowsHeight
  }

  private position(): { readonly top: number; readonly bottom: number } {
    return this.beans?.ctrlsSvc.getScrollFeature().getVScrollPosition() ?? { top: 0, bottom: 0 }
  }

  private resize(): number | undefined {
    if (this.rowsHeight === null) return undefined
    // The grid remembers a position that is read before it has its size.
    if (this.rowsHeight <= MAX_HEIGHT) return this.scale.resize(this.rowsHeight, 0)
    const { top, bottom } = this.position()
    return this.scale.resize(this.rowsHeight, bottom - top)
  }

  private scrollTo(top: number | undefined): void {
    if (top !== undefined) this.beans?.ctrlsSvc.getScrollFeature().setVerticalScrollPosition(top)
  }

  /** Tells the grid what has changed. */
  private show(): void {
    const height = this.rowsHeight === null ? null : this.scale.height
    if (height !== this.uiContainerHeight) {
      this.uiContainerHeight = height
      this.beans?.eventSvc.dispatchEvent({ type: 'rowContainerHeightChanged' })
    }
    if (this.scale.offset !== this.divStretchOffset) {
      this.divStretchOffset = this.scale.offset
      this.beans?.eventSvc.dispatchEvent({ type: 'heightScaleChanged' })
    }
  }
}

/**
 * Exact scrolling in tables of any height. AG Grid has no API for it, so this replaces an internal service by its name; a test
 * in a browser checks the positions of rows, and fails if an update of AG Grid no longer uses it.
 */
export const ScaledHeightsModule = {
  moduleName: 'ScaledHeights',
  version: InfiniteRowModelModule.version,
  // Modules of a row model follow all others, and the last service with a name counts.
  rowModels: ['infinite'],
  beans: [ScaledHeights],
} as unknown as Module
