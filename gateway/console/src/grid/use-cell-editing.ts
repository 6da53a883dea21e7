import type { CellEditRequestEvent } from 'ag-grid-community'
import { useCallback, useEffect, useMemo, useRef, useState, type ClipboardEvent } from 'react'
import type { Column, Row } from '../api/resources'
import { cellText } from '../formats/cell-text'
import { isSameValue } from '../formats/value'
import { describeError } from '../components/states'
import { useToaster } from '../components/toast'
import { useRecordChange } from '../undo/undo-provider'
import type { EnteredRow, RowChange } from '../writes/cells-api'
import { planPaste } from './clipboard/paste-plan'
import { readTsv, toTsvCell } from './clipboard/tsv'
import type { GridRef, GridRows } from './use-grid-rows'

/** Handlers that edit cells, and the error of the last edit. */
export interface CellEditing {
  /** Error of the last cell change. */
  readonly problem: string | undefined
  readonly dismiss: () => void
  readonly onEdit: (event: CellEditRequestEvent<Row>) => void
  readonly onClear: (row: Row, colId: string) => void
  readonly onCopy: (event: ClipboardEvent) => void
  readonly onPaste: (event: ClipboardEvent) => void
}

const isEntry = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, textarea, select') !== null

/** Writes cells that are edited, cleared or pasted. */
export function useCellEditing(
  { writes, store }: GridRows,
  columns: readonly Column[],
  grid: GridRef,
): CellEditing {
  const [problem, setProblem] = useState<string>()
  const dismiss = useCallback(() => setProblem(undefined), [])
  const toaster = useToaster()
  const isShown = useIsShown()
  const record = useRecordChange()
  const write = useCallback(
    (changes: readonly PlacedChange[], label: string) => {
      setProblem(undefined)
      const entered = changes.map(({ place, ...change }): EnteredRow => {
        const before = store.find(change.id)?.fields ?? {}
        return { ...change, place, before }
      })
      const written = writes.write(entered)
      record(label, written)
      written.catch((error: unknown) => {
        const message = `${label}: ${describeError(error)}`
        if (isShown()) setProblem(message)
        // After leaving the table, the user would otherwise not notice the failure.
        else toaster.showError(new Error(`Could not save ${message}`))
      })
    },
    [writes, record, store, toaster, isShown],
  )
  const handlers = useMemo(
    () => createHandlers({ write, setProblem, columns, grid, store }),
    [write, columns, grid, store],
  )
  return { problem, dismiss, ...handlers }
}

/** Returns a function that reports whether the component is still mounted. */
function useIsShown(): () => boolean {
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return useCallback(() => isShown.current, [])
}

/** A change of a row, with where it is for the user. */
type PlacedChange = RowChange & Pick<EnteredRow, 'place'>

interface HandlerOptions extends Pick<GridRows, 'store'> {
  readonly write: (changes: readonly PlacedChange[], label: string) => void
  readonly setProblem: (problem: string) => void
  readonly columns: readonly Column[]
  readonly grid: GridRef
}

type Handlers = Omit<CellEditing, 'problem' | 'dismiss'>

function createHandlers({ write, setProblem, columns, grid, store }: HandlerOptions): Handlers {
  const nameOf = (colId: string) => columns.find(({ id }) => id === colId)?.fields.label || colId
  const writeCell = ({ id }: Row, colId: string, value: unknown, place: string) =>
    write([{ id, fields: { [colId]: value }, place }], `${nameOf(colId)}, ${place}`)
  return {
    onEdit({ data, column, newValue, oldValue, node }) {
      const shown = columns.find(({ id }) => id === column.getColId())
      // Unchanged cells are not written.
      if (!shown || isSameValue(newValue, oldValue)) return
      const value: unknown = newValue === undefined ? null : newValue
      writeCell(data, shown.id, value, `row ${(node.rowIndex ?? 0) + 1}`)
    },
    onClear: (row, colId) => writeCell(row, colId, null, `row id ${row.id}`),
    onCopy(event) {
      const focused = grid.current?.getFocusedCell()
      const shown = columns.find(({ id }) => id === focused?.column.getColId())
      const row = focused ? displayedRows(grid, store)(focused.rowIndex) : undefined
      if (!shown || !row || isEntry(event.target)) return
      event.preventDefault()
      event.clipboardData.setData('text/plain', toTsvCell(cellText(row.fields[shown.id], shown)))
    },
    onPaste(event) {
      const focused = grid.current?.getFocusedCell()
      if (!focused || isEntry(event.target)) return
      event.preventDefault()
      const at = columns.findIndex(({ id }) => id === focused.column.getColId())
      if (at < 0) return
      const { changes, problem } = planPaste(readTsv(event.clipboardData.getData('text/plain')), {
        columns: columns.slice(at),
        firstRow: focused.rowIndex,
        total: store.readState().total ?? 0,
        rowAt: displayedRows(grid, store),
      })
      const place = (offset: number) => `row ${focused.rowIndex + offset + 1}`
      const placed = changes.map((change, offset) => ({ ...change, place: place(offset) }))
      const count = placed.length
      if (count > 0) write(placed, `Paste into ${count === 1 ? 'a row' : `${count} rows`}`)
      if (problem !== undefined) setProblem(problem)
    },
  }
}

/**
 * Returns rows by index; undefined where the grid displays another row or none. The grid lags behind the store
 * during a refresh, and edits must apply to the displayed row.
 */
function displayedRows(
  { current: api }: GridRef,
  store: GridRows['store'],
): (index: number) => Row | undefined {
  const shown = new Map(api?.getRenderedNodes().map(({ rowIndex, data }) => [rowIndex, data]))
  return (index) => {
    const row = store.at(index)
    return shown.has(index) && shown.get(index)?.id !== row?.id ? undefined : row
  }
}
