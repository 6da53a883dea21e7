import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { Link, useHref } from 'react-router'
import type { Column, Row } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { useCellText } from '../../cells/reference/use-labels'
import { Button } from '../../components/button'
import { CopyText } from '../../components/copy-text'
import { isEntry } from '../../components/entry'
import { SidePanel } from '../../components/overlays/side-panel'
import { Empty, ErrorState, Loading } from '../../components/states'
import {
  canEdit,
  historyUrl,
  rowUrl,
  useDocumentContext,
} from '../../document-context/document-context'
import { shorten } from '../../formats/shorten'
import type { CellState } from '../../writes/table/writes-state'
import { RowField, type FieldEntry } from './row-field'
import { canGo, StepButtons, type RowSteps } from './row-steps'

/** Characters of the title; values can be long. */
const MAX_TITLE = 100
/** What a field is entered by. */
const CONTROLS = '.row-edit, input:not(:disabled)'

interface RowPanelProps {
  readonly context: CellContext
  readonly rowId: number
  /** With the values that were entered; null if there is no such row, undefined while it is read. */
  readonly row: Row | null | undefined
  /** True if the first field gets the focus as soon as the row is there. */
  readonly entersFields: boolean
  /** True if the row was shown, and is no longer there. */
  readonly isDeleted: boolean
  readonly error: unknown
  readonly onRetry: () => void
  /** The columns in their order, and those that the grid does not show. */
  readonly shown: readonly Column[]
  readonly hidden: readonly Column[]
  readonly stateOf: (rowId: number, colId: string) => CellState | undefined
  /** Called when editing begins. */
  readonly onEdit: (column: Column) => FieldEntry
  readonly steps: RowSteps
  readonly onDelete: () => void
  readonly onClose: () => void
}

/** All fields of a row, beside the grid. */
export function RowPanel(props: RowPanelProps): ReactNode {
  const { context, row, error, shown, steps, onRetry, onClose } = props
  const [first] = shown
  const title = useCellText(row && first && row.fields[first.id], first, context).trim()
  const handleKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined
    if (!step || !event.altKey || isEntry(event.nativeEvent)) return
    event.preventDefault()
    if (canGo(steps, step)) steps.go(step)
  }
  return (
    <div className="row-panel" onKeyDown={handleKey}>
      <SidePanel
        title={title === '' ? 'Row' : shorten(title, MAX_TITLE)}
        actions={<StepButtons {...steps} />}
        onClose={onClose}
      >
        <div className="row-panel-body">
          {row && <RowFields {...props} row={row} />}
          {row === null && <NoRow {...props} />}
          {row === undefined &&
            (error === null ? (
              <Loading what="the row" />
            ) : (
              <ErrorState error={error} onRetry={onRetry} />
            ))}
        </div>
        {row && <RowFoot {...props} />}
      </SidePanel>
    </div>
  )
}

/** Says why there is no row. */
function NoRow({ rowId, context, isDeleted }: RowPanelProps): ReactNode {
  if (isDeleted) return <Empty title="This row has been deleted" />
  const id = rowId > 0 ? ` with the id ${rowId}` : ''
  return context.asOf === undefined ? (
    <Empty title={`There is no row${id}`}>
      <p>It may have been deleted, or the address may be wrong.</p>
    </Empty>
  ) : (
    <Empty title={`There was no row${id} at this moment`} />
  )
}

function RowFields(props: RowPanelProps & { readonly row: Row }): ReactNode {
  const { context, row, entersFields, shown, hidden, stateOf, onEdit } = props
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (entersFields) fields.current?.querySelector<HTMLElement>(CONTROLS)?.focus()
  }, [entersFields])
  const draw = (columns: readonly Column[]) => (
    <dl>
      {columns.map((column) => (
        <RowField
          key={`${row.id} ${column.id}`}
          column={column}
          context={context}
          row={row}
          state={stateOf(row.id, column.id)}
          onEdit={() => onEdit(column)}
        />
      ))}
    </dl>
  )
  return (
    <div ref={fields} className="row-fields">
      {draw(shown)}
      {hidden.length > 0 && (
        <details>
          <summary>{`Hidden columns (${hidden.length})`}</summary>
          {draw(hidden)}
        </details>
      )}
    </div>
  )
}

function RowFoot({ context, rowId, onDelete }: RowPanelProps): ReactNode {
  const { docId, tableId, asOf } = context
  const { document, tables } = useDocumentContext()
  const tableRef = tables.find(({ id }) => id === tableId)?.fields.tableRef
  const link = window.location.origin + useHref(rowUrl(docId, tableId, rowId, asOf))
  return (
    <div className="row-panel-foot">
      <CopyText label="link to row" text={link} />
      <div className="row-panel-actions">
        <span className="note">{`Row id ${rowId}`}</span>
        {canEdit(document) && tableRef !== undefined && (
          <Link to={historyUrl(docId, tableRef, rowId)}>History of this row</Link>
        )}
        {context.canEdit && (
          <Button kind="danger" onClick={onDelete}>
            Delete row
          </Button>
        )}
      </div>
    </div>
  )
}
