import type { ICellRendererParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Column, Row } from '../../api/resources'
import { columnName } from '../../formats/column'
import { useGrouping, useLatestGroups } from './grouping-context'
import { formatSummary, summaryLabel } from './summaries'

interface SummaryCellProps extends ICellRendererParams<Row> {
  readonly shown: Column
}

/** What all cells of a column come to, in the row below the others. It opens the menu with the summaries of the column. */
export function SummaryCell({ shown, eGridCell }: SummaryCellProps): ReactNode {
  const grouping = useGrouping()
  const groups = useLatestGroups(grouping)
  const name = grouping.summaries.find(({ column }) => column.id === shown.id)?.name
  const value = name && groups?.total.aggregates[shown.id]?.[name]
  const text = name === undefined || value === undefined ? '…' : formatSummary(name, value, shown)
  return (
    <button
      type="button"
      className="summary"
      tabIndex={-1}
      aria-haspopup="menu"
      aria-label={name === undefined ? `Summary of ${columnName(shown)}: none` : undefined}
      onClick={() => grouping.openSummaries(shown, eGridCell)}
    >
      {name === undefined ? (
        <span className="summary-add">Summary</span>
      ) : (
        <>
          <span className="summary-name">{summaryLabel(name, shown)}</span>{' '}
          <span className="summary-value" title={text}>
            {text}
          </span>
        </>
      )}
    </button>
  )
}
