/**
 * The tallest element in pixels. Browsers place parts of an element with 24 bits, so beyond 16.7 million device pixels they are off;
 * this leaves room for three device pixels in each pixel, and a fraction.
 */
export const MAX_HEIGHT = 4_000_000
/** Pixels at each end of a taller table in which the scroll bar moves one to one, so that both ends are reached exactly. */
const EXACT = 1_000_000
/** Largest distance between where the scroll bar is and where it should be. Less than one of its own pixels is not seen. */
const MAX_DRIFT = EXACT / 4
/** Movements up to this many views are exact: rows and pages by keyboard, clicks beside the handle of the scroll bar. */
const NEAR_VIEWS = 3
/** Movements up to this many views are exact while the wheel turns. */
const WHEEL_VIEWS = 20

/** A scroll position that was asked for, and the offset that belongs to it. */
interface Aim {
  readonly top: number
  readonly offset: number
}

/**
 * Scrolling of rows that are taller together than an element can be. The element has `MAX_HEIGHT`, and the rows in view are drawn
 * `offset` pixels above their position. A short movement keeps the offset, and so moves rows by exactly as much; a long one, such as
 * of the scroll bar, takes the offset from the scroll position, so that the ends of the bar are the ends of the table.
 */
export class ScrollScale {
  /** Pixels by which rows are drawn above their position: an integer. */
  offset = 0
  private top = 0
  private rowsHeight = 0
  private viewHeight = 0
  private aims: Aim[] = []

  /** True when the rows are taller than an element can be. */
  get isScaled(): boolean {
    return this.rowsHeight > MAX_HEIGHT
  }

  /** Height of the element. */
  get height(): number {
    return Math.min(this.rowsHeight, MAX_HEIGHT)
  }

  /** Sets the height of all rows and of the view. Returns where to scroll to, if anywhere. */
  resize(rowsHeight: number, viewHeight: number): number | undefined {
    this.rowsHeight = rowsHeight
    this.viewHeight = viewHeight
    this.offset = Math.min(this.offset, this.surplus)
    return this.correct()
  }

  /**
   * Follows the scroll position. Returns where to scroll to instead, without moving the rows in view; undefined to stay.
   * @param isWheel true while the wheel turns or a finger moves the rows
   */
  follow(top: number, isWheel: boolean): number | undefined {
    const aim = this.aims.find((one) => Math.abs(one.top - top) < 1)
    this.aims = []
    const near = this.viewHeight * (isWheel ? WHEEL_VIEWS : NEAR_VIEWS)
    if (aim) this.offset = aim.offset
    else if (Math.abs(top - this.top) > near) this.offset = this.offsetAt(top)
    this.top = top
    return this.correct()
  }

  /** Returns the scroll position that shows a pixel of the rows at the top of the view; to be passed to `follow` when it is reached. */
  aimAt(position: number): number {
    if (!this.isScaled) return position
    const close = position - this.offset
    const isClose = Math.abs(close - this.top) <= this.viewHeight * NEAR_VIEWS
    const top = isClose && close >= 0 && close <= this.maxTop ? close : this.placeOf(position)
    this.aims = [...this.aims.slice(-3), { top, offset: Math.round(position - top) }]
    return top
  }

  /** Height that the element lacks. */
  private get surplus(): number {
    return this.rowsHeight - this.height
  }

  private get maxTop(): number {
    return Math.max(0, this.height - this.viewHeight)
  }

  /** The scroll position for a pixel of the rows; an integer between the exact parts. */
  private placeOf(position: number): number {
    const { maxTop, surplus } = this
    if (position <= EXACT) return Math.max(0, position)
    if (position >= maxTop + surplus - EXACT) return Math.min(maxTop, position - surplus)
    const share = (position - EXACT) / (maxTop + surplus - 2 * EXACT)
    return Math.round(EXACT + share * (maxTop - 2 * EXACT))
  }

  private offsetAt(top: number): number {
    const { maxTop, surplus } = this
    const share = (top - EXACT) / (maxTop - 2 * EXACT)
    return Math.round(Math.min(1, Math.max(0, share)) * surplus)
  }

  /** Moves the scroll bar to where it should be if it is too far away, or close to an end while there are rows beyond. */
  private correct(): number | undefined {
    const { top, offset, surplus, maxTop } = this
    const reach = this.viewHeight * WHEEL_VIEWS
    if (surplus === 0) return undefined
    const position = Math.min(top, maxTop) + offset
    const place = this.placeOf(position)
    const isAtEnd = (top < reach && offset > 0) || (top > maxTop - reach && offset < surplus)
    if (!isAtEnd && Math.abs(place - top) <= MAX_DRIFT) return undefined
    this.offset = Math.round(position - place)
    this.top = place
    return place
  }
}
