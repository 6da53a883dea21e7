import { useSyncExternalStore, type ReactNode } from 'react'
import { useLiveState } from '../live/live-provider'
import type { RowStore } from './rows/row-store'

const liveLabels = {
  connecting: 'Connecting…',
  live: 'Live',
  off: 'Offline: changes by others are delayed',
}

/** The row count, the selection, and the state of live updates. */
export function GridFooter(props: {
  readonly store: RowStore
  readonly selected: number
  readonly isFiltered: boolean
  readonly isPast: boolean
  /** What is selected besides rows. */
  readonly children: ReactNode
}): ReactNode {
  const { store, selected, isFiltered, isPast, children } = props
  const { rows: total, error } = useSyncExternalStore(store.watchState, store.readState)
  const live = useLiveState()
  const noun = total === 1 ? 'row' : 'rows'
  return (
    <footer className="grid-foot" tabIndex={-1}>
      <span role="status">
        {total === undefined
          ? error === undefined && 'Counting rows…'
          : `${total.toLocaleString()} ${noun}${isFiltered ? ' (filtered)' : ''}`}
        {selected > 0 && `, ${selected.toLocaleString()} selected`}
      </span>
      {children}
      {isPast ? (
        <span>Read-only</span>
      ) : (
        <span className={`live-state ${live}`} role="status">
          {liveLabels[live]}
        </span>
      )}
    </footer>
  )
}
