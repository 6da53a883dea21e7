import type { CellEditRequestEvent } from 'ag-grid-community'
import { useCallback } from 'react'
import type { Column, Row } from '../../api/resources'
import type { EnterLate } from '../../cells/editing/late-entry'
import { columnName } from '../../formats/column'
import { isSameValue } from '../../formats/value'
import type { PlacedChange } from '../../writes/table/cells-api'
import { useComposition, type GridParts } from '../composition/use-composition'
import type { GridRows } from '../live-rows/use-grid-rows'
import { readShownCell } from '../rows/shown-cell'
import { useCellDraft, type CellDraft, type OpenedCell } from './use-cell-draft'
import { useCellWriting, type CellWriting } from './use-cell-writing'

/** Handlers that edit cells, and the error of the last edit. */
export interface CellEditing extends Omit<CellWriting, 'write'> {
  readonly onOpen: CellDraft['onOpen']
  readonly onEdit: (event: CellEditRequestEvent<Row>) => void
  /** Returns what writes a value into the cell that is edited now, later. */
  readonly beginLate: () => EnterLate | undefined
  readonly onClose: () => void
  /** Must be called before the grid is removed. Writes what was entered in an open editor. */
  readonly onRemove: () => void
  /** Writes cells. The label says which, to the user. */
  readonly write: (changes: readonly PlacedChange[], label: string) => void
}

/** Writes cells, and shows why that fails. Lets input methods compose on cells. */
export function useCellEditing(
  rows: GridRows,
  columns: readonly Column[],
  parts: GridParts,
): CellEditing {
  const { writes, store } = rows
  useComposition(parts, store.places)
  const find = useCallback((rowId: number) => store.find(rowId), [store])
  const { problem, report, write: writeCells } = useCellWriting({ writes, find, columns })
  const write = useCallback<CellEditing['write']>(
    (changes, label) => void writeCells(changes, label),
    [writeCells],
  )
  const { opened, onOpen, onClose, read } = useCellDraft(rows, parts.grid)
  const enter = useCallback(
    ({ rowId, colId, before }: Omit<OpenedCell, 'value'>, value: unknown, rowIndex?: number) => {
      const column = columns.find(({ id }) => id === colId)
      if (!column) return
      const place =
        rowIndex === undefined ? `row with id ${rowId}` : `row ${store.places.numberOf(rowIndex)}`
      const fields = { [colId]: value === undefined ? null : value }
      write([{ id: rowId, fields, place, before }], `${columnName(column)}, ${place}`)
    },
    [write, columns, store],
  )
  const onEdit = useCallback<CellEditing['onEdit']>(
    ({ data, column, newValue, oldValue, rowIndex }) => {
      const colId = column.getColId()
      // While the editor was open, somebody else may have changed the cell.
      const cell = opened.current?.colId === colId ? opened.current : undefined
      // Unchanged cells are not written.
      if (isSameValue(newValue, cell ? cell.value : oldValue)) return
      enter(cell ?? { rowId: data.id, colId, before: undefined }, newValue, rowIndex ?? undefined)
    },
    [enter, opened],
  )
  const beginLate = useCallback<CellEditing['beginLate']>(() => {
    const cell = opened.current
    if (!cell) return undefined
    const { rowId, colId } = cell
    return (change, known) => {
      const { value, before } = readShownCell({ store, writes }, rowId, colId, known)
      enter({ rowId, colId, before }, change(value), store.indexOf(rowId))
    }
  }, [enter, opened, store, writes])
  const onRemove = useCallback(() => {
    const draft = read()
    if (draft) enter(draft.cell, draft.value, store.indexOf(draft.cell.rowId))
  }, [read, enter, store])
  return { problem, report, write, onOpen, onEdit, beginLate, onClose, onRemove }
}
