import type { ReactNode } from 'react'
import { ErrorState, Loading } from '../components/states'
import { MAX_LANES, type HiddenValues } from './lanes'
import type { Lanes } from './use-lanes'

/** What follows the last lane: the values that have none, and why lanes are missing. */
export function LanesEnd({ hidden, isLoading, error, retry }: Lanes): ReactNode {
  return (
    <>
      {hidden && <HiddenNote {...hidden} />}
      {isLoading && <Loading what="the lanes" />}
      {error !== null && <ErrorState error={error} onRetry={retry} />}
    </>
  )
}

function HiddenNote({ values, rows, isExact }: HiddenValues): ReactNode {
  const which = values === 1 ? 'One value has' : `${values.toLocaleString()} values have`
  const lost = rows === 1 ? 'one row is' : `${rows.toLocaleString()} rows are`
  return (
    <p className="board-hidden note">
      {which} no lane, so {isExact ? '' : 'at least '}
      {lost} not shown. A board has at most {MAX_LANES} lanes, and none for lists and errors. Filter
      the rows, or show them as a grid.
    </p>
  )
}
