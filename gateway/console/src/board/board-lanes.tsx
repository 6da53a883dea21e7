import { useMemo, useRef, useState, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import { isEditable, type CellContext } from '../cells/editing/cell-type'
import { GridFooter } from '../grid/grid-footer'
import { AwayNotice, GridNotice } from '../grid/grid-notice'
import { useGridViewContext } from '../grid/view/view-context'
import { BoardContext, type BoardState, type DraggedCard } from './board-context'
import { BoardLane } from './board-lane'
import { BoardMessage } from './board-message'
import { LanesEnd } from './lanes-end'
import { useBoardMarks } from './use-board-marks'
import { useBoardRows } from './use-board-rows'
import { useAddressSearch, useBoardSearch } from './use-board-search'
import { useLanes } from './use-lanes'
import { useMoves } from './use-moves'

/** Columns on a card at most, besides its title. */
const MAX_FIELDS = 12

interface BoardLanesProps {
  readonly context: CellContext
  readonly columns: readonly Column[]
  /** The columns that are shown, in their order. */
  readonly shown: readonly Column[]
  readonly lanes: { readonly column: Column; readonly isDescending: boolean }
  /** The bar above the lanes, with the field of the search. */
  readonly bar: (search: ReactNode) => ReactNode
}

/** The lanes of a board, and the row that is open beside them. */
export function BoardLanes(props: BoardLanesProps): ReactNode {
  const { context, columns, shown, lanes: source, bar } = props
  const { column } = source
  const { view } = useGridViewContext()
  const [search, setText] = useAddressSearch(shown)
  const found = useLanes(context, { ...source, filter: view.filter })
  const { lanes, titleOf } = found
  const inPanel = useMemo(() => withLanes(shown, column), [shown, column])
  const rows = useBoardRows(context, { columns, shown: inPanel, column, view, search })
  const { whole, handles, moved, writing, add, openedId, open, panel } = rows
  const body = useRef<HTMLDivElement>(null)
  useBoardMarks(body, { tableId: context.tableId, text: search.text, shown, find: rows.find })
  const { move, note } = useMoves(column, { handles, moved, write: writing.write, titleOf })
  const { store } = whole
  const [dragged, setDragged] = useState<DraggedCard>()
  const { field, clear } = useBoardSearch({
    text: search.text,
    setText,
    store,
    canEdit: context.canEdit,
  })
  const [titleColumn, ...others] = useMemo(
    () => shown.filter((one, place) => one !== column || place === 0),
    [shown, column],
  )
  const board: BoardState = {
    context,
    column,
    lanes,
    titleOf,
    titleColumn,
    fields: others.slice(0, MAX_FIELDS),
    view,
    search,
    canMove: isEditable(column, context),
    handles,
    moved,
    openedId,
    open,
    move,
    add,
    dragged,
    setDragged,
  }
  const isFiltered = Object.keys(view.filter).length > 0
  const isPast = context.asOf !== undefined
  return (
    <div className="with-panel">
      <div className="grid">
        {bar(field)}
        <div className="grid-middle">
          <div ref={body} className={dragged ? 'board dragging' : 'board'} tabIndex={-1}>
            <BoardContext value={board}>
              {lanes.map((lane) => (
                <BoardLane key={lane.key} lane={lane} />
              ))}
            </BoardContext>
            <LanesEnd {...found} />
          </div>
          <BoardMessage
            context={context}
            store={store}
            search={search.text}
            hasColumns={columns.length > 0}
            onClearSearch={clear}
          />
          <AwayNotice store={store} />
          <GridNotice problem={writing.problem} onDismiss={() => writing.report()} />
        </div>
        <GridFooter
          store={store}
          selected={0}
          isFiltered={isFiltered || search.text !== ''}
          isPast={isPast}
        >
          <span className="visually-hidden" role="status">
            {note}
          </span>
        </GridFooter>
      </div>
      {panel}
    </div>
  )
}

/** The columns of the panel of a row: also that of the lanes, after the title, where the cards do not show it. */
const withLanes = (shown: readonly Column[], column: Column): readonly Column[] =>
  shown.includes(column) ? shown : [...shown.slice(0, 1), column, ...shown.slice(1)]
