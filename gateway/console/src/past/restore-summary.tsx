import type { ReactNode } from 'react'
import { ChangeDetails } from '../history/change-item'
import { describeChange } from '../history/describe-change'
import { describeDifferences } from './describe-differences'
import type { RestorePreview } from './restore-queries'

/** The change that a restore would make, in the words of the history. */
export function RestoreSummary(props: Omit<RestorePreview, 'etag'>): ReactNode {
  const { plan, change, pendingColumns, differences } = props
  const leftOut = plan.leftOut.length > 0 && (
    <p className="note">
      Not restored, because deleted or of another type since: {plan.leftOut.join(', ')}
    </p>
  )
  if (!change)
    return (
      <>
        <p>Nothing would change{leftOut ? '.' : ': everything is as it was at that moment.'}</p>
        {leftOut}
      </>
    )
  return (
    <section className="restore-summary" aria-label="What would change">
      <h3>What would change</h3>
      {differences ? (
        <ul>
          {differences.map((table) => (
            <li key={table.tableRef}>{describeDifferences(table)}</li>
          ))}
        </ul>
      ) : (
        <>
          <p>
            The history will then say: <strong>You</strong> {describeChange(change)}.
          </p>
          <ChangeDetails name="this restore" change={change} />
        </>
      )}
      {leftOut}
      {pendingColumns.length > 0 && (
        <p className="note">Calculated afterwards: {pendingColumns.join(', ')}</p>
      )}
    </section>
  )
}
