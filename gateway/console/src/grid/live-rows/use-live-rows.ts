import type { Change, RowOperation } from '@sheaf/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { CellContext } from '../../cells/editing/cell-type'
import type { ChangeListener } from '../../live/change-stream'
import { useLiveChanges, useLivePosition } from '../../live/live-provider'
import type { TableView } from '../../writes/table/table-view'
import type { TableWrites } from '../../writes/table/table-writes'
import { useTableWrites } from '../../writes/use-table-writes'
import { readFirst } from '../rows/row-queries'
import { RowStore, type RowListener } from '../rows/row-store'
import type { RowPlaces } from '../rows/row-places'
import { RowsApi, type ReadPage, type RowSearch } from '../rows/rows-api'
import { viewParameters, type GridView } from '../view/grid-view'

/** The table that is shown, now or as of a change. */
export type ShownTable = Pick<CellContext, 'docId' | 'tableId' | 'asOf'>

/** The rows of a table that are shown. */
export interface RowSelection {
  readonly view: GridView
  readonly search: RowSearch
  /** Returns the pages of a view with other lines among the rows that a function reads. Must be memoized. */
  readonly arrange?: (readPage: ReadPage) => ArrangedPages
  /** Returns false for changes that neither add nor remove any of these rows. The same function each time. */
  readonly isConcerned?: (operation: RowOperation) => boolean
}

/** Pages of rows with other lines among them. */
export interface ArrangedPages {
  readonly readPage: ReadPage
  readonly places: RowPlaces
  /** Calls back with the size of the view when its lines are at other places. Returns a function that ends this. */
  readonly open: (onLayout: (size: number) => void) => () => void
}

/** What draws rows. */
export interface RowDisplay extends RowListener {
  /** The marks of cells that are not stored have changed, in the rows with these ids. */
  readonly onMarks: (rowIds: readonly number[]) => void
}

/** The rows of a table in a view: reads and writes. */
export interface LiveRows {
  readonly api: RowsApi
  /** Reads a page of the view. */
  readonly readPage: ReadPage
  readonly store: RowStore
  readonly writes: TableWrites
}

const always = (): boolean => true

/** The rows of a table in a view, kept up to date by the change stream. The display must be memoized. */
export function useLiveRows(
  { docId, tableId, asOf }: ShownTable,
  { view, search, arrange, isConcerned = always }: RowSelection,
  display: RowDisplay,
): LiveRows {
  const { sort, filter } = viewParameters(view)
  const writes = useTableWrites(tableId)
  const client = useQueryClient()
  const position = useLivePosition()
  const rows = useMemo(() => {
    const api = new RowsApi({ docId, tableId, sort, filter, search, asOf })
    const readRows: ReadPage = (request, signal) => api.readPage(request, signal)
    const pages = arrange?.(readRows)
    const isPlain = sort === '' && filter === '' && search.text === '' && api.isPresent
    const readPlain = isPlain ? readFirst({ client, docId, tableId, position }, readRows) : readRows
    const readPage = pages?.readPage ?? readPlain
    const show = api.isPresent ? writes.show : undefined
    const created = new RowStore(readPage, show, pages?.places)
    return { api, readPage, store: created, writes, arranged: pages }
  }, [docId, tableId, sort, filter, search, asOf, arrange, writes, client, position])
  const { store, arranged } = rows
  useEffect(() => store.open(display), [store, display])
  useEffect(() => arranged?.open((size) => store.rearrange(size)), [arranged, store])
  const isPresent = asOf === undefined
  useEffect(
    () => (isPresent ? writes.attach(viewOf(store, display)) : undefined),
    [isPresent, writes, store, display],
  )
  const changeListener = useMemo<ChangeListener>(
    () => ({
      onChange: (change) =>
        handleChange(change, { tableId, sort, filter, search, isConcerned, store }),
      onGap: () => store.scheduleRefresh(false),
    }),
    [tableId, sort, filter, search, isConcerned, store],
  )
  useLiveChanges(changeListener)
  return rows
}

/** What the writes of the table show of its rows. */
function viewOf(store: RowStore, { onMarks }: RowDisplay): TableView {
  return {
    store: ({ rows, seq }) => store.replace(rows, seq),
    assume(changes) {
      for (const { id, fields } of changes) {
        const row = store.find(id)
        if (row) store.replace([{ ...row, fields: { ...row.fields, ...fields } }], 0)
      }
      store.scheduleRefresh(false)
    },
    redraw(ids) {
      store.redraw(ids)
      onMarks(ids)
    },
  }
}

interface ChangeTarget {
  readonly tableId: string
  readonly sort: string
  readonly filter: string
  readonly search: RowSearch
  readonly isConcerned: (operation: RowOperation) => boolean
  readonly store: RowStore
}

function handleChange({ seq, operations, truncated }: Change, target: ChangeTarget): void {
  const { tableId, search, store } = target
  if (truncated) store.scheduleRefresh(false)
  for (const operation of operations) {
    if (operation.tableId !== tableId) {
      // References show other texts now.
      const isSearched = search.text !== '' && search.tables.split(',').includes(operation.tableId)
      if (isSearched) store.scheduleRefresh(false)
    } else if ('rowIds' in operation) handleRows(seq, operation, target)
    // The values and types of cells may have changed, and cursors are invalid after a schema change.
    else store.scheduleRefresh(false)
  }
}

function handleRows(seq: number, operation: RowOperation, target: ChangeTarget): void {
  const { sort, isConcerned, store } = target
  const { action, rowIds } = operation
  const isUpdate = action === 'updateRows'
  if (isUpdate) store.apply({ seq, rowIds, columns: newCells(operation) })
  if ((isUpdate && !movesRows(operation, target)) || !isConcerned(operation)) return
  store.scheduleRefresh(action === 'addRows' && sort === '' && store.areNew(rowIds))
}

function newCells({ columns }: RowOperation): Record<string, readonly unknown[]> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([colId, cells]) => (cells.new ? [[colId, cells.new]] : [])),
  )
}

/** Returns true if rows may have moved, or may no longer match filter and search. */
function movesRows({ columns }: RowOperation, { sort, filter, search }: ChangeTarget): boolean {
  if (search.text !== '') return true
  const sorted = sort.split(',').map((key) => key.replace(/^-/, '').replace(/:.*$/, ''))
  const filtered = filter.includes('"or"')
  return (
    filtered ||
    Object.keys(columns).some((colId) => sorted.includes(colId) || filter.includes(`"${colId}"`))
  )
}
