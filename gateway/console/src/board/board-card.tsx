import { useEffect, useRef, type DragEvent, type KeyboardEvent, type ReactNode } from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useCellText } from '../cells/reference/use-labels'
import { CellView } from '../cells/single-cell'
import { Menu } from '../components/overlays/menu'
import { columnName } from '../formats/column'
import { shorten } from '../formats/shorten'
import { stateNotes } from '../grid/columns/cell-column'
import type { CellState } from '../writes/table/writes-state'
import { useBoard } from './board-context'
import type { Lane } from './lanes'

/** Characters of a title in menus and messages; values can be long. */
const MAX_TITLE = 100

interface BoardCardProps {
  readonly lane: Lane
  readonly row: Row
  readonly at: { readonly place: number; readonly top: number; readonly height: number }
  /** Number of cards in the lane. */
  readonly count: number
  /** True for the card of the lane that Tab reaches. */
  readonly isTabStop: boolean
  readonly stateOf: (rowId: number, colId: string) => CellState | undefined
  readonly onFocus: () => void
}

/** A row as a card: it opens the row, is dragged to other lanes, and has a menu of them. */
export function BoardCard(props: BoardCardProps): ReactNode {
  const { lane, row, at, count, isTabStop, stateOf, onFocus } = props
  const board = useBoard()
  const { context, titleColumn, canMove, openedId, dragged, setDragged } = board
  const value = titleColumn && row.fields[titleColumn.id]
  const text = useCellText(value, titleColumn, context).trim()
  const title = text === '' ? `Row ${row.id}` : shorten(text, MAX_TITLE)
  const card = { row, title, from: lane.key }
  const open = useFocusWhenMoved(row.id)
  const note = useSaveNote(row.id, stateOf)
  const classes = [
    'board-card',
    openedId === row.id && 'row-opened',
    dragged?.row.id === row.id && 'dragged',
    note !== undefined && 'unsaved',
  ]
  return (
    <li
      className={classes.filter(Boolean).join(' ')}
      style={{ top: at.top, height: at.height }}
      data-place={at.place}
      data-row-id={row.id}
      aria-posinset={at.place + 1}
      aria-setsize={count}
      title={note}
      draggable={canMove}
      onDragStart={({ dataTransfer }: DragEvent) => {
        dataTransfer.effectAllowed = 'move'
        dataTransfer.setData('text/plain', title)
        setDragged(card)
      }}
      onDragEnd={() => setDragged(undefined)}
      onFocus={onFocus}
    >
      <div
        ref={open}
        className="card-open"
        role="button"
        tabIndex={isTabStop ? 0 : -1}
        aria-label={title}
        aria-keyshortcuts={canMove ? 'Alt+ArrowLeft Alt+ArrowRight' : undefined}
        onClick={() => board.open(row.id)}
        onKeyDown={(event) => handleKey(event, card, board)}
      />
      <CardBody row={row} title={title} hasTitle={text !== ''} />
      {canMove && (
        <Menu
          label={`Move ${title}`}
          tabIndex={isTabStop ? 0 : -1}
          items={board.lanes
            .filter(({ key }) => key !== lane.key)
            .map((to) => ({
              label: `Move to ${board.titleOf(to)}`,
              onSelect: () => board.move(card, to, true),
            }))}
        />
      )}
    </li>
  )
}

/** Gives the focus to a card that was moved by the keyboard, in its new lane. */
function useFocusWhenMoved(rowId: number) {
  const { handles } = useBoard()
  const open = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!handles.takesFocus(rowId)) return
    open.current?.focus({ preventScroll: true })
    open.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [handles, rowId])
  return open
}

type Board = ReturnType<typeof useBoard>
type Card = Parameters<Board['move']>[0]

function handleKey(event: KeyboardEvent, card: Card, board: Board): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event
  if (ctrlKey || metaKey || shiftKey) return
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
  const isOpening = !altKey && (key === 'Enter' || key === ' ')
  if (step === undefined && !isOpening) return
  // Alt and an arrow would go to another page.
  event.preventDefault()
  if (isOpening) board.open(card.row.id)
  else if (step !== undefined && altKey) moveBy(card, step, board)
  else if (step !== undefined) enterBy(card, step, board)
}

/** Moves a card to a lane beside its own. */
function moveBy(card: Card, step: number, { lanes, canMove, move }: Board): void {
  const to = lanes[lanes.findIndex(({ key }) => key === card.from) + step]
  if (to && canMove) move(card, to, true)
}

/** Moves the focus to the next lane with cards. */
function enterBy({ from }: Card, step: number, { lanes, handles }: Board): void {
  const start = lanes.findIndex(({ key }) => key === from)
  for (let at = start + step; at >= 0 && at < lanes.length; at += step)
    if (handles.of(lanes[at]?.key ?? '')?.enter()) return
}

/** Why values of a row that are shown are not saved; undefined if they are. */
function useSaveNote(rowId: number, stateOf: BoardCardProps['stateOf']): string | undefined {
  const { column, titleColumn, fields } = useBoard()
  const columns = [column, ...(titleColumn ? [titleColumn] : []), ...fields]
  const notes = columns.map(({ id }) => stateNotes[stateOf(rowId, id) ?? 'sending'])
  return notes.find((note) => note !== undefined)
}

interface CardBodyProps {
  readonly row: Row
  readonly title: string
  /** False for a title that stands for one that is empty. */
  readonly hasTitle: boolean
}

function CardBody({ row, title, hasTitle }: CardBodyProps): ReactNode {
  const { context, titleColumn, fields } = useBoard()
  const show = (column: Column) => (
    <CardValue column={column} context={context} value={row.fields[column.id]} />
  )
  return (
    <>
      <p className="card-title" data-col-id={titleColumn?.id}>
        {titleColumn && hasTitle ? show(titleColumn) : <span className="note">{title}</span>}
      </p>
      {fields.length > 0 && (
        <dl>
          {fields.map((field) => (
            <div key={field.id}>
              <dt>{columnName(field)}</dt>
              <dd data-col-id={field.id}>{show(field)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

interface CardValueProps {
  readonly column: Column
  readonly context: CellContext
  readonly value: unknown
}

function CardValue({ column, context, value }: CardValueProps): ReactNode {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return <CellView column={column} context={context} value={value} />
}
