import {
  useEffect,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { useBoard } from './board-context'
import { BoardCard } from './board-card'
import { placesIn, shownCount, type Span } from './card-places'
import type { Lane } from './lanes'
import type { LaneRows } from './use-lane-rows'

/** Heights in pixels, as `board.css` has them: of the title of a card with its padding and distance, and of each field. */
const TITLE_PIXELS = 54
const FIELD_PIXELS = 24

interface LaneCardsProps {
  readonly lane: Lane
  readonly rows: LaneRows
}

/** The cards of a lane. Only those in the visible part are drawn, and only their rows are loaded. */
export function LaneCards({ lane, rows }: LaneCardsProps): ReactNode {
  const { fields, canMove } = useBoard()
  const pixels = TITLE_PIXELS + fields.length * FIELD_PIXELS
  const { count = 0 } = rows
  const shown = shownCount(count, pixels)
  const scroller = useRef<HTMLDivElement>(null)
  const span = useSpan(lane.key, scroller, pixels)
  const end = Math.min(span.end, shown)
  const { load } = rows
  useEffect(() => {
    if (end > span.first) load(span.first, end)
  })
  const [currentId, setCurrentId] = useState<number>()
  const focusAt = useCardFocus(lane, { rows, scroller, pixels, currentId, shown })
  const currentPlace = currentId === undefined ? undefined : rows.placeOfRow(currentId)
  const places = placesToDraw({ first: span.first, end }, currentPlace, shown)
  const tabPlace = currentPlace ?? places.find((place) => rows.at(place))
  return (
    <div ref={scroller} className="lane-cards" tabIndex={-1}>
      {rows.count === 0 && (
        <p className="note lane-empty">{canMove ? 'Drop a card here.' : 'No cards'}</p>
      )}
      <ul
        style={{ height: shown * pixels }}
        onKeyDown={(event) => {
          const place = placeOfEvent(event)
          const next = place === undefined ? undefined : nextPlace(event, place, shown)
          if (next === undefined) return
          event.preventDefault()
          focusAt(next)
        }}
      >
        {places.map((place) => {
          const row = rows.at(place)
          const at = { place, top: place * pixels, height: pixels }
          return row ? (
            <BoardCard
              key={row.id}
              lane={lane}
              row={row}
              at={at}
              count={count}
              isTabStop={place === tabPlace}
              stateOf={rows.writes.stateOf}
              onFocus={() => setCurrentId(row.id)}
            />
          ) : (
            <li
              key={`at ${place}`}
              className="board-card waiting"
              style={{ top: at.top, height: pixels }}
              aria-hidden="true"
            />
          )
        })}
      </ul>
      {shown < count && (
        <p className="note lane-empty">
          {`The first ${shown.toLocaleString()} cards are shown. Filter the board to see the others.`}
        </p>
      )}
    </div>
  )
}

/** The places in view, and that of the card that had the focus: it keeps it while the lane is scrolled. */
function placesToDraw({ first, end }: Span, current: number | undefined, shown: number): number[] {
  const places = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset)
  if (current === undefined || current >= shown) return places
  if (current < first) return [current, ...places]
  return current >= end ? [...places, current] : places
}

const placeOfEvent = ({ target }: KeyboardEvent): number | undefined => {
  const open = (target as Element).closest('.card-open')
  const place = open?.closest('li')?.getAttribute('data-place')
  return typeof place === 'string' ? Number(place) : undefined
}

function nextPlace(event: KeyboardEvent, place: number, count: number): number | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined
  if (event.key === 'ArrowDown') return Math.min(place + 1, count - 1)
  if (event.key === 'ArrowUp') return Math.max(place - 1, 0)
  if (event.key === 'Home') return 0
  return event.key === 'End' ? count - 1 : undefined
}

/** The places of the cards in the visible part of a lane. */
function useSpan(
  key: string,
  scroller: { readonly current: HTMLElement | null },
  pixels: number,
): Span {
  const { handles } = useBoard()
  const [span, setSpan] = useState<Span>({ first: 0, end: 0 })
  useLayoutEffect(() => {
    const { current: element } = scroller
    if (!element) return
    element.scrollTo({ top: handles.scrollOf(key) })
    const measure = () => {
      handles.keepScroll(key, element.scrollTop)
      const next = placesIn({ top: element.scrollTop, height: element.clientHeight }, pixels)
      setSpan((last) => (last.first === next.first && last.end === next.end ? last : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [key, handles, scroller, pixels])
  return span
}

interface FocusParts {
  readonly rows: LaneRows
  readonly scroller: { readonly current: HTMLElement | null }
  readonly pixels: number
  readonly currentId: number | undefined
  readonly shown: number
}

/** Returns a function that gives the focus to the card at a place, once it is drawn. Makes the lane known to the board. */
function useCardFocus(lane: Lane, parts: FocusParts): (place: number) => void {
  const { handles } = useBoard()
  const latest = useRef(parts)
  const wanted = useRef<number>(undefined)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    latest.current = parts
    if (wanted.current === undefined) return
    const card = parts.scroller.current?.querySelector<HTMLElement>(
      `[data-place="${wanted.current}"] > .card-open`,
    )
    if (!card) return
    wanted.current = undefined
    card.focus({ preventScroll: true })
    card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  const scrollTo = (place: number) => {
    const { scroller, pixels } = latest.current
    const { current: element } = scroller
    if (!element) return
    element.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    const top = place * pixels
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + pixels > element.scrollTop + element.clientHeight)
      element.scrollTop = top + pixels - element.clientHeight
  }
  const focusAt = (place: number) => {
    scrollTo(place)
    wanted.current = place
    redraw()
  }
  const commands = useRef({ scrollTo, focusAt })
  useEffect(() => {
    commands.current = { scrollTo, focusAt }
  })
  const { api, readPage, store } = parts.rows
  useEffect(
    () =>
      handles.register({
        key: lane.key,
        readPage,
        store,
        indexOf: (rowId) => api.countBefore(rowId),
        reveal(index, focuses) {
          // After the cards have been drawn without those that were moved.
          requestAnimationFrame(() => {
            const place = latest.current.rows.placeOfIndex(index)
            const focused = document.activeElement?.closest('[data-place]')
            const { current: element } = latest.current.scroller
            const hasFocus =
              focused?.getAttribute('data-place') === String(place) && element?.contains(focused)
            if (focuses && hasFocus !== true) commands.current.focusAt(place)
            else commands.current.scrollTo(place)
          })
        },
        enter() {
          const { rows, currentId, shown } = latest.current
          if (shown === 0) return false
          const current = currentId === undefined ? undefined : rows.placeOfRow(currentId)
          commands.current.focusAt(current ?? 0)
          return true
        },
      }),
    [handles, lane.key, api, readPage, store],
  )
  return focusAt
}
