import { useCallback, useEffect, useMemo, useState, type RefObject } from 'react'
import { useToaster } from '../../components/toast'
import { useRecordChange } from '../../undo/undo-provider'
import type { Column } from '../../api/resources'
import { holdKeys } from '../../cells/editing/type-ahead'
import { isComputed } from '../../formats/column'
import type { ChangeListener } from '../../live/change-stream'
import { useLiveChanges } from '../../live/live-provider'
import { rowOrder, viewParameters, type GridView } from '../view/grid-view'
import type { RowSearch } from '../rows/rows-api'
import type { GridRef, GridRows } from '../live-rows/use-grid-rows'
import { useRowRemoval } from './use-row-removal'

/** Commands that add and delete rows. */
export interface RowCommands {
  readonly isAdding: boolean
  /** Adds a row, scrolls to it and starts editing it. What is typed meanwhile is entered there. */
  readonly add: () => void
  /** Ids of the selected rows. */
  readonly selected: readonly number[]
  readonly onSelect: () => void
  /** Deletes rows. */
  readonly remove: (rowIds: readonly number[]) => Promise<void>
}

/** Maximum wait until an added row is displayed: at the end of the table, and among other rows, where it may be out of view. */
const SHOWN_MS = 10_000
const FOUND_MS = 1_500
const ADDED_SOMEWHERE =
  'Row added. The current groups, sort order, filters and search determine where it appears.'
const EDITORS = '.ag-cell-inline-editing, .ag-popup-editor'

interface GridRefs {
  readonly grid: GridRef
  /** The element that contains the grid. */
  readonly body: RefObject<HTMLElement | null>
}

interface ShownRows {
  readonly tableId: string
  readonly view: GridView
  readonly search: RowSearch
  readonly columns: readonly Column[]
}

/** Adds rows to a table, and deletes the selected ones. */
export function useRowCommands(
  rows: GridRows,
  shown: ShownRows,
  { grid, body }: GridRefs,
): RowCommands {
  const { api, store } = rows
  const toaster = useToaster()
  const record = useRecordChange()
  const removeRows = useRowRemoval(api)
  const [isAdding, setAdding] = useState(false)
  const { view, search, columns } = shown
  const { selected, onSelect } = useSelectedRows(shown, grid)
  const isPlain = showsAll(view, search)
  const addRow = useCallback(async () => {
    setAdding(true)
    // In the cell that has the focus they would replace the value of another row.
    const endHold = holdKeys()
    try {
      const adding = api.add()
      record(
        'Row added',
        adding.then(({ seq }) => seq),
      )
      const { id } = await adding
      if (!isPlain) store.markStale()
      await store.refresh()
      const total = store.readState().total ?? 0
      const isShown = await editRow(
        { grid, body },
        { id, end: isPlain ? total : undefined, columns },
      )
      if (!isShown && !isPlain) toaster.show(ADDED_SOMEWHERE)
    } catch (error) {
      toaster.showError(error)
    } finally {
      endHold()
      setAdding(false)
    }
  }, [api, store, isPlain, grid, body, columns, toaster, record])
  return useMemo<RowCommands>(
    () => ({
      isAdding,
      add: () => void (isAdding || addRow()),
      selected,
      onSelect,
      async remove(rowIds) {
        await removeRows(rowIds)
        if (selected.every((id) => rowIds.includes(id))) deselect(grid)
        else deselectRows(grid, rowIds)
        onSelect()
        store.markStale()
        await store.refresh()
      },
    }),
    [isAdding, addRow, selected, onSelect, removeRows, store, grid],
  )
}

/** True if an added row is the last one. */
const showsAll = (view: GridView, { text }: RowSearch): boolean =>
  rowOrder(view).length === 0 && Object.keys(view.filter).length === 0 && text === ''

function selectedIds(grid: GridRef): readonly number[] {
  const nodes = grid.current?.getSelectedNodes() ?? []
  return nodes.flatMap(({ id }) => (id ? [Number(id)] : []))
}

/** Follows the selected rows. Those that are no longer visible, or are deleted by somebody, must not be among them. */
function useSelectedRows(
  { tableId, view, search }: ShownRows,
  grid: GridRef,
): Pick<RowCommands, 'selected' | 'onSelect'> {
  const [selected, setSelected] = useState<readonly number[]>([])
  const onSelect = useCallback(() => setSelected(selectedIds(grid)), [grid])
  const { filter } = viewParameters(view)
  useEffect(() => deselect(grid), [grid, filter, search])
  const listener = useMemo<ChangeListener>(
    () => ({
      onChange({ operations }) {
        for (const operation of operations) {
          if (operation.tableId !== tableId || operation.action !== 'removeRows') continue
          // The grid keeps rows selected that are gone.
          deselectRows(grid, operation.rowIds)
          onSelect()
        }
      },
      onGap: () => {},
    }),
    [tableId, grid, onSelect],
  )
  useLiveChanges(listener)
  return { selected, onSelect }
}

/** Deselects rows, also those that the grid no longer finds by their id. */
function deselectRows(grid: GridRef, rowIds: readonly number[]): void {
  const ids = new Set(rowIds.map(String))
  for (const node of grid.current?.getSelectedNodes() ?? [])
    if (ids.has(node.id ?? '')) node.setSelected(false)
}

function deselect(grid: GridRef): void {
  grid.current?.deselectAll()
}

interface AddedRow {
  readonly id: number
  /** The number of rows, if it is the last one. */
  readonly end: number | undefined
  readonly columns: readonly Column[]
}

/** Starts editing a row that was added. Resolves once its editor is there; to false if the row is not among those loaded. */
async function editRow(refs: GridRefs, row: AddedRow): Promise<boolean> {
  const deadline = performance.now() + (row.end === undefined ? FOUND_MS : SHOWN_MS)
  const isLate = () => performance.now() > deadline
  while (!openRow(refs, row)) {
    if (isLate()) return false
    await new Promise(requestAnimationFrame)
  }
  while (isOpening(refs) && !isLate()) await new Promise(requestAnimationFrame)
  return true
}

/** Scrolls to a row and opens its first editor. Returns false while the row is not drawn. */
function openRow({ grid, body }: GridRefs, { id, end, columns }: AddedRow): boolean {
  const { current: api } = grid
  if (!api) return true
  const index = api.getRowNode(String(id))?.rowIndex
  if (typeof index !== 'number') {
    if (end === undefined) return false
    // Other users may have appended rows as well.
    const last = Math.max(end, api.getDisplayedRowCount()) - 1
    if (last >= 0 && last < api.getDisplayedRowCount()) api.ensureIndexVisible(last, 'bottom')
    return false
  }
  api.ensureIndexVisible(index, end === undefined ? null : 'bottom')
  const first = columns.find((column) => !isComputed(column))
  if (!first) return true
  api.ensureColumnVisible(first.id)
  // A cell that is focused before it is drawn takes the focus back later, from the editor.
  if (!body.current?.querySelector(`[row-id="${id}"] [col-id="${CSS.escape(first.id)}"]`))
    return false
  api.setFocusedCell(index, first.id)
  api.startEditingCell({ rowIndex: index, colKey: first.id })
  return true
}

/** True while an editor is opened that does not have the focus yet. */
const isOpening = ({ grid: { current: api } }: GridRefs): boolean =>
  api !== null && api.getEditingCells().length > 0 && !document.activeElement?.closest(EDITORS)
