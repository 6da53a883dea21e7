import type { CellEditRequestEvent, CellEditingStartedEvent } from 'ag-grid-community'
import { useCallback, useRef } from 'react'
import type { Column, Row } from '../api/resources'
import { columnName } from '../formats/column'
import { isSameValue } from '../formats/value'
import type { PlacedChange } from '../writes/cells-api'
import { useComposition, type GridParts } from './composition/use-composition'
import { useCellWriting, type CellWriting } from './use-cell-writing'
import type { GridRows } from './use-grid-rows'

/** Handlers that edit cells, and the error of the last edit. */
export interface CellEditing extends Omit<CellWriting, 'write'> {
  readonly onOpen: (event: CellEditingStartedEvent<Row>) => void
  readonly onEdit: (event: CellEditRequestEvent<Row>) => void
  readonly onClose: () => void
  /** Writes cells. The label says which, to the user. */
  readonly write: (changes: readonly PlacedChange[], label: string) => void
}

/** A cell when its editor was opened. */
interface OpenedCell {
  readonly rowId: number
  readonly colId: string
  /** The value that the editor shows. */
  readonly value: unknown
  /** The stored value; undefined while an earlier one that was entered here is being stored. */
  readonly before: PlacedChange['before']
}

/** Writes cells, and shows why that fails. Lets input methods compose on cells. */
export function useCellEditing(
  { writes, store }: GridRows,
  columns: readonly Column[],
  parts: GridParts,
): CellEditing {
  useComposition(parts)
  const find = useCallback((rowId: number) => store.find(rowId), [store])
  const { problem, report, write: writeCells } = useCellWriting({ writes, find, columns })
  const write = useCallback<CellEditing['write']>(
    (changes, label) => void writeCells(changes, label),
    [writeCells],
  )
  const opened = useRef<OpenedCell>(undefined)
  const onOpen = useCallback<CellEditing['onOpen']>(
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
  const onEdit = useCallback<CellEditing['onEdit']>(
    ({ data, column, newValue, oldValue, node }) => {
      const shown = columns.find(({ id }) => id === column.getColId())
      // While the editor was open, somebody else may have changed the cell.
      const cell = opened.current?.colId === shown?.id ? opened.current : undefined
      // Unchanged cells are not written.
      if (!shown || isSameValue(newValue, cell ? cell.value : oldValue)) return
      const value: unknown = newValue === undefined ? null : newValue
      const place = `row ${store.places.numberOf(node.rowIndex ?? 0)}`
      const fields = { [shown.id]: value }
      const change = { id: cell?.rowId ?? data.id, fields, place, before: cell?.before }
      write([change], `${columnName(shown)}, ${place}`)
    },
    [write, columns, store],
  )
  return { problem, report, write, onOpen, onEdit, onClose }
}
