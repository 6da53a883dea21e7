import { useSyncExternalStore, type ReactNode } from 'react'
import { useLiveState } from '../live/live-provider'
import type { RowStore } from './rows/row-store'

const words = {
  connecting: 'Connecting…',
  live: 'Live',
  off: 'Not live: changes of others show later',
}

/** How many rows there are, and whether changes of others show as they are made. */
export function GridFooter(props: {
  readonly store: RowStore
  readonly selected: number
  readonly isFiltered: boolean
}): ReactNode {
  const { store, selected, isFiltered } = props
  const { total, error } = useSyncExternalStore(store.watchState, store.readState)
  const live = useLiveState()
  const rows = total === 1 ? 'row' : 'rows'
  return (
    <footer className="grid-foot">
      <span role="status">
        {total === undefined
          ? error === undefined && 'Counting rows…'
          : `${total.toLocaleString()} ${rows}${isFiltered ? ' that pass the filters' : ''}`}
        {selected > 0 && `, ${selected.toLocaleString()} selected`}
      </span>
      <span className={`live-state ${live}`} role="status">
        {words[live]}
      </span>
    </footer>
  )
}
