import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { Row } from '../../api/resources'
import { useLiveChanges } from '../../live/live-provider'
import { heightOf, type Block } from './cell-range'
import { MAX_RANGE_ROWS, readRange, shownRows, type RowSource } from './range-rows'
import type { RangeSelection } from './range-selection'

/** Milliseconds after which a selection is read that did not change. */
const SETTLED_MS = 150
/** Milliseconds between readings of one whose rows change, at least: of shown rows, and of others, which takes many requests. */
const CHANGED_MS = 500
const UNSHOWN_MS = 5_000

/** The rows of a selection, as they were read last. */
export interface RangeRows {
  readonly block: Block
  readonly rows: readonly Row[]
}

/** Returns the rows of a selection, once they are read; undefined also for more than MAX_RANGE_ROWS. */
export function useRangeRows(selection: RangeSelection, source: RowSource): RangeRows | undefined {
  const block = useSyncExternalStore(selection.watch, selection.read)
  const changes = useChangeCount(block !== undefined)
  const [read, setRead] = useState<RangeRows>()
  const readAt = useRef({ block, time: -Infinity })
  useEffect(() => {
    if (!block || heightOf(block) > MAX_RANGE_ROWS) return
    const reading = new AbortController()
    const isAgain = readAt.current.block === block && !shownRows(block, source.at)
    const pauseMs = isAgain ? readAt.current.time + UNSHOWN_MS - performance.now() : 0
    const timer = setTimeout(
      () => {
        readAt.current = { block, time: performance.now() }
        readRange(block, source, reading.signal).then(
          (rows) => setRead({ block, rows }),
          // Without the rows there is no sum; the grid itself shows that they cannot be read.
          () => {},
        )
      },
      Math.max(SETTLED_MS, pauseMs),
    )
    return () => {
      clearTimeout(timer)
      reading.abort()
    }
  }, [block, source, changes])
  return read?.block === block ? read : undefined
}

/** Returns a number that grows when the document changes, at most every CHANGED_MS. */
function useChangeCount(isWanted: boolean): number {
  const [count, setCount] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const listener = useMemo(() => {
    const schedule = () => {
      if (!isWanted) return
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        setCount((before) => before + 1)
      }, CHANGED_MS)
    }
    return { onChange: schedule, onGap: schedule }
  }, [isWanted])
  useLiveChanges(listener)
  useEffect(() => () => clearTimeout(timer.current), [])
  return count
}
