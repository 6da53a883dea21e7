import type { CellEditingStartedEvent } from 'ag-grid-community'
import { useCallback, useEffect, useRef, type RefObject } from 'react'
import type { Row } from '../../api/resources'
import { isSameValue } from '../../formats/value'
import type { PlacedChange } from '../../writes/table/cells-api'
import type { GridRef, GridRows } from '../live-rows/use-grid-rows'

/** A cell when its editor was opened. */
export interface OpenedCell {
  readonly rowId: number
  readonly colId: string
  /** The value that the editor shows. */
  readonly value: unknown
  /** The stored value; undefined while an earlier one that was entered here is being stored. */
  readonly before: PlacedChange['before']
}

/** What is entered in a cell whose editor is open. */
export interface CellDraft {
  readonly opened: RefObject<OpenedCell | undefined>
  readonly onOpen: (event: CellEditingStartedEvent<Row>) => void
  readonly onClose: () => void
  /** Returns the cell with the value that its editor has; undefined unless it was changed. */
  readonly read: () => { readonly cell: OpenedCell; readonly value: unknown } | undefined
}

/** Follows the editor that is open in a grid. The browser asks before it closes the page with a changed value. */
export function useCellDraft({ writes, store }: GridRows, grid: GridRef): CellDraft {
  const opened = useRef<OpenedCell>(undefined)
  const onOpen = useCallback<CellDraft['onOpen']>(
    ({ data, column, value }) => {
      if (!data) return
      const colId = column.getColId()
      const fields = store.find(data.id)?.fields
      const isStored = fields && colId in fields && writes.stateOf(data.id, colId) === undefined
      const before = isStored ? { [colId]: fields[colId] } : undefined
      opened.current = { rowId: data.id, colId, value: value as unknown, before }
    },
    [store, writes],
  )
  const onClose = useCallback(() => {
    opened.current = undefined
  }, [])
  const read = useCallback(() => {
    const [editor] = grid.current?.getCellEditorInstances() ?? []
    const cell = opened.current
    const value: unknown = editor?.getValue()
    return !editor || !cell || isSameValue(value, cell.value) ? undefined : { cell, value }
  }, [grid])
  useEffect(() => {
    const askBefore = (event: BeforeUnloadEvent) => {
      if (read()) event.preventDefault()
    }
    window.addEventListener('beforeunload', askBefore)
    return () => window.removeEventListener('beforeunload', askBefore)
  }, [read])
  return { opened, onOpen, onClose, read }
}
