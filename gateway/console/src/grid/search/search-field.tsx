import {
  useEffect,
  useRef,
  useSyncExternalStore,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { Button } from '../../components/button'
import { Icon } from '../../components/icon'
import type { RowStore } from '../rows/row-store'
import { MAX_SEARCH, readText } from '../view/search-address'

/** Pause in typing after which the rows are searched. */
const PAUSE_MS = 300

/** What moves from one hit to the next. */
interface HitCommands {
  /** Where the last step led, for those who do not see it. */
  readonly note: string
  /** Called with each change of what is typed. */
  readonly onType: () => void
  /** Moves to the next hit of what is typed, or to the one before. */
  readonly onStep: (step: 1 | -1) => void
  /** Moves the focus to the cell of the last step. */
  readonly onEnterGrid: () => void
}

interface SearchFieldProps {
  readonly input: RefObject<HTMLInputElement | null>
  /** What is searched for; empty for nothing. */
  readonly text: string
  readonly store: RowStore
  /** Called with what is typed after a pause. */
  readonly onText: (text: string) => void
  readonly onClear: () => void
  /** Clears the search, and leaves the field. */
  readonly onLeave: () => void
  /** Undefined where rows are found, and hits in them are not. */
  readonly hits?: HitCommands
}

/** The field that searches in a table, with the number of rows found, and buttons for the hits. */
export function SearchField(props: SearchFieldProps): ReactNode {
  const { input, text, store, onText, onClear, onLeave, hits } = props
  const { rows: total, error } = useSyncExternalStore(store.watchState, store.readState)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const keys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    Escape: onLeave,
    ...(hits && {
      Enter: ({ shiftKey }) => hits.onStep(shiftKey ? -1 : 1),
      ArrowDown: hits.onEnterGrid,
    }),
  }
  const isSearched = text !== ''
  const noun = total === 1 ? 'row' : 'rows'
  const counted = total === undefined ? 'Searching…' : `${total.toLocaleString()} ${noun}`
  return (
    <search className={`grid-search ${isSearched ? 'is-searching' : ''}`}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search in this table"
        title="Search in this table (Ctrl+F)"
        placeholder="Search table"
        defaultValue={text}
        maxLength={MAX_SEARCH}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          hits?.onType()
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onText(readText(target.value)), PAUSE_MS)
        }}
        onKeyDown={(event) => {
          const handle = event.nativeEvent.isComposing ? undefined : keys[event.key]
          if (!handle) return
          clearTimeout(timer.current)
          event.preventDefault()
          event.stopPropagation()
          handle(event)
        }}
      />
      {isSearched && (
        <>
          {error === undefined && <span className="search-count">{counted}</span>}
          {hits && (
            <>
              <Step
                label="Previous hit"
                keys="Shift+Enter"
                sign="↑"
                onClick={() => hits.onStep(-1)}
              />
              <Step label="Next hit" keys="Enter" sign="↓" onClick={() => hits.onStep(1)} />
            </>
          )}
          <Step label="Clear search" keys="Escape" sign="✕" onClick={onClear} />
        </>
      )}
      <span className="visually-hidden" role="status">
        {isSearched && hits?.note}
      </span>
    </search>
  )
}

interface StepProps {
  readonly label: string
  /** The keys that do the same in the field. */
  readonly keys: string
  readonly sign: string
  readonly onClick: () => void
}

function Step({ label, keys, sign, onClick }: StepProps): ReactNode {
  return (
    <Button
      kind="quiet"
      className="icon"
      aria-label={label}
      title={`${label} (${keys})`}
      onClick={onClick}
    >
      {sign}
    </Button>
  )
}
