import type { ICellRendererParams } from 'ag-grid-community'
import type { ComponentProps, ReactNode } from 'react'
import type { Column, Row } from '../../api/resources'
import { CellView } from '../../cells/single-cell'
import { columnName } from '../../formats/column'
import type { GroupHeader } from '../groups/group-layout'
import { isGroupRow } from '../groups/group-row'
import { useGrouping, useLatestGroups, type Grouping } from './grouping-context'
import { formatSummary, summaryLabel } from './summaries'

/** The header of a group, over the whole width: its value, number of rows, and the summaries of their columns. */
export function GroupLine({ data }: ICellRendererParams<Row>): ReactNode {
  const grouping = useGrouping()
  const header = useLatestHeader(isGroupRow(data) ? data.header : undefined, grouping)
  if (!header) return null
  const { key, level, count, isCollapsed } = header
  const column = grouping.groupedBy[level]
  const rows = count === 1 ? 'row' : 'rows'
  return (
    <div className={`group-line level-${level}`} role="gridcell">
      <button
        type="button"
        className="group-toggle"
        tabIndex={-1}
        aria-expanded={!isCollapsed}
        onClick={() => grouping.grouped?.toggle(key)}
      >
        <span className="group-arrow" aria-hidden="true" />
        <GroupName header={header} column={column} grouping={grouping} />
        <span className="group-count">
          {count.toLocaleString()}
          <span className="visually-hidden"> {rows}</span>
        </span>
      </button>
      <GroupSummaries header={header} grouping={grouping} />
    </div>
  )
}

/** Groups are counted more often than they are drawn anew. */
function useLatestHeader(
  header: GroupHeader | undefined,
  grouping: Grouping,
): GroupHeader | undefined {
  useLatestGroups(grouping)
  return header && (grouping.grouped?.headerOf(header.key) ?? header)
}

interface GroupPartProps {
  readonly header: GroupHeader
  readonly grouping: Grouping
}

function GroupName({
  header: { group },
  column,
  grouping: { cells },
}: GroupPartProps & { readonly column: Column | undefined }): ReactNode {
  if (!group || !column) return <span className="group-name">Other groups</span>
  const isEmpty = group.value === null || group.value === ''
  return (
    <>
      <span className="group-column">{columnName(column)}</span>
      <span className="group-name">
        {isEmpty || group.isTooLong ? (
          <span className="note">{isEmpty && !group.isTooLong ? 'Empty' : 'Long value'}</span>
        ) : (
          <GroupValue column={column} context={cells} value={group.value} />
        )}
      </span>
    </>
  )
}

function GroupValue(cell: ComponentProps<typeof CellView>): ReactNode {
  // In cells they are checkboxes, of which headers have none.
  if (typeof cell.value === 'boolean') return cell.value ? 'Yes' : 'No'
  return <CellView {...cell} />
}

function GroupSummaries({ header: { group }, grouping: { summaries } }: GroupPartProps): ReactNode {
  return summaries.map(({ column, name }) => {
    const value = group?.aggregates[column.id]?.[name]
    if (value === undefined) return null
    return (
      <span key={column.id} className="group-summary">
        <span className="summary-name">
          {columnName(column)} {summaryLabel(name, column).toLowerCase()}
        </span>{' '}
        {formatSummary(name, value, column)}
      </span>
    )
  })
}
