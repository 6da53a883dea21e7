import { useCallback, useEffect, useMemo, useState } from 'react'
import { useToaster } from '../components/toast'
import { useAnnounceChange, useRecordChange } from '../undo/undo-provider'
import type { Column } from '../api/resources'
import { isComputed } from '../formats/column'
import { viewParameters, type GridView } from './view/grid-view'
import type { GridRef, GridRows } from './use-grid-rows'

/** Commands that add and delete rows. */
export interface RowCommands {
  readonly isAdding: boolean
  /** Adds a row, scrolls to it and starts editing it. */
  readonly add: () => void
  /** Ids of the selected rows. */
  readonly selected: readonly number[]
  readonly onSelect: () => void
  readonly remove: () => Promise<void>
}

/** Maximum wait until an added row is displayed. */
const SHOWN_MS = 10_000

/** Adds rows to a table, and deletes the selected ones. */
export function useRowCommands(
  rows: GridRows,
  { view, columns }: { readonly view: GridView; readonly columns: readonly Column[] },
  grid: GridRef,
): RowCommands {
  const { api, store } = rows
  const toaster = useToaster()
  const record = useRecordChange()
  const announce = useAnnounceChange()
  const [isAdding, setAdding] = useState(false)
  const [selected, setSelected] = useState<readonly number[]>([])
  const isPlain = view.sort.length === 0 && Object.keys(view.filter).length === 0
  const { filter } = viewParameters(view)
  // Rows that are no longer visible must not be deleted.
  useEffect(() => deselect(grid), [grid, filter])
  const addRow = useCallback(async () => {
    setAdding(true)
    try {
      const adding = api.add()
      record(
        'Row added',
        adding.then(({ seq }) => seq),
      )
      const { id } = await adding
      if (!isPlain) store.markStale()
      await store.refresh()
      if (isPlain) await editRow(grid, { id, total: store.readState().total ?? 0, columns })
      else toaster.show('Row added. The current sort order and filters determine where it appears.')
    } catch (error) {
      toaster.showError(error)
    } finally {
      setAdding(false)
    }
  }, [api, store, isPlain, grid, columns, toaster, record])
  return useMemo<RowCommands>(
    () => ({
      isAdding,
      add: () => void addRow(),
      selected,
      onSelect: () => setSelected(selectedIds(grid)),
      async remove() {
        const removing = api.remove(selected)
        const count = selected.length
        announce(count === 1 ? 'Row deleted' : `${count.toLocaleString()} rows deleted`, removing)
        await removing
        deselect(grid)
        setSelected([])
        store.markStale()
        await store.refresh()
      },
    }),
    [isAdding, addRow, selected, api, store, grid, announce],
  )
}

function selectedIds(grid: GridRef): readonly number[] {
  const nodes = grid.current?.getSelectedNodes() ?? []
  return nodes.flatMap(({ id }) => (id ? [Number(id)] : []))
}

function deselect(grid: GridRef): void {
  grid.current?.deselectAll()
}

interface AddedRow {
  readonly id: number
  readonly total: number
  readonly columns: readonly Column[]
}

/** Starts editing a row that was appended to the table. */
async function editRow(grid: GridRef, { id, total, columns }: AddedRow): Promise<void> {
  const first = columns.find((column) => !isComputed(column))
  const deadline = performance.now() + SHOWN_MS
  while (grid.current && performance.now() < deadline) {
    const api = grid.current
    // Other users may have appended rows as well.
    const last = Math.max(total, api.getDisplayedRowCount()) - 1
    if (last >= 0 && last < api.getDisplayedRowCount()) api.ensureIndexVisible(last, 'bottom')
    const index = api.getRowNode(String(id))?.rowIndex
    if (typeof index === 'number') {
      api.ensureIndexVisible(index, 'bottom')
      if (!first) return
      api.setFocusedCell(index, first.id)
      return api.startEditingCell({ rowIndex: index, colKey: first.id })
    }
    await new Promise(requestAnimationFrame)
  }
}
