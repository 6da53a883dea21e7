import type { ICellRendererParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Row } from '../../api/resources'
import { Icon } from '../../components/icon'

interface RowNumberProps extends ICellRendererParams<Row, number> {
  readonly onOpen: (rowId: number) => void
}

/** The number of a row, and a button that opens the row. By the keyboard, Enter in the cell does. */
export function RowNumber({ value, data, onOpen }: RowNumberProps): ReactNode {
  return (
    <>
      {data && (
        <button
          type="button"
          className="row-open"
          tabIndex={-1}
          aria-label={`Open row ${value}`}
          title="Open row (Space)"
          onClick={() => onOpen(data.id)}
        >
          <Icon name="expand" />
        </button>
      )}
      {value}
    </>
  )
}
