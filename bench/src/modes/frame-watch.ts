import type { Page } from 'playwright-core'

/** What was observed while scrolling; times in milliseconds. */
export interface FrameStatistics {
  /** The longest time during which the view showed no row at all. */
  readonly blank: number
  /** The longest time during which a part of the view was empty. */
  readonly partly: number
  /**
   * The longest time during which a part of the view did not show its own rows: none, or placeholders while
   * they are read.
   */
  readonly away: number
  /** Time between consecutive frames. */
  readonly frames: readonly number[]
}

/** Positions down the view at which a row is expected. */
const PLACES = 8

// Runs in the page: records what is at these positions of the view, frame by frame.
const watch = `(() => {
  const view = document.querySelector('.ag-grid-viewport').getBoundingClientRect()
  const x = view.left + 20
  const top = document.querySelector('.ag-header').getBoundingClientRect().bottom
  const height = Math.min(view.bottom, innerHeight) - top
  const seen = { frames: [], blank: 0, partly: 0, away: 0 }
  let last = performance.now(), blankSince, partlySince, awaySince
  const rowAt = (y) => {
    const at = document.elementFromPoint(x, y)
    return at && at.closest('.ag-row')
  }
  const rowsAt = () => Array.from({ length: ${PLACES} }, (_, place) => {
    const y = top + (height * (place + 0.5)) / ${PLACES}
    return rowAt(y)
  })
  const isBare = (row) => !row || row.classList.contains('row-waiting')
  const isAway = (row) => isBare(row) || row.classList.contains('row-preview')
  const look = (now) => {
    seen.frames.push(now - last)
    last = now
    const rows = rowsAt()
    const bare = rows.filter(isBare).length
    awaySince = rows.some(isAway) ? (awaySince ?? now) : undefined
    partlySince = bare > 0 ? (partlySince ?? now) : undefined
    blankSince = bare === ${PLACES} ? (blankSince ?? now) : undefined
    if (awaySince !== undefined) seen.away = Math.max(seen.away, now - awaySince)
    if (partlySince !== undefined) seen.partly = Math.max(seen.partly, now - partlySince)
    if (blankSince !== undefined) seen.blank = Math.max(seen.blank, now - blankSince)
    next()
  }
  // After the frame is painted: the grid draws rows in a callback of the same frame.
  const painted = new MessageChannel()
  let stopped = false
  const next = () => stopped || requestAnimationFrame((now) => painted.port2.postMessage(now))
  painted.port1.onmessage = ({ data }) => stopped || look(data)
  const isWhole = () => !rowsAt().some(isAway)
  window.untilWhole = () => new Promise((resolve) => {
    const ask = () => {
      if (!isWhole()) return requestAnimationFrame(ask)
      stopped = true
      resolve(seen)
    }
    requestAnimationFrame(ask)
  })
  next()
})()`

const untilWhole = 'window.untilWhole()'

/** Observes every frame during an action, until all rows in view are loaded again. */
export async function watchFrames(
  page: Page,
  action: () => Promise<void>,
): Promise<FrameStatistics> {
  await page.evaluate(watch)
  await action()
  return page.evaluate<FrameStatistics>(untilWhole)
}
