import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Button } from '../../components/button'
import { ErrorNote } from '../../components/states'
import { useEditorFocus } from './type-ahead'

/** An option of a pick list. */
export interface Option {
  readonly key: string
  readonly label: string
  /** What is shown in place of the label. */
  readonly content?: ReactNode
  /** The value that it stands for. */
  readonly value: unknown
}

interface PickListProps {
  readonly label: string
  readonly search: string
  readonly onSearch: (text: string) => void
  /** The options that match the search. */
  readonly options: readonly Option[]
  /** Keys of the picked options. */
  readonly picked: ReadonlySet<string>
  /** True while `options` belong to an earlier search. */
  readonly isLoading?: boolean
  readonly error?: unknown
  /** Note below the list. */
  readonly note?: string
  /** True if several options can be picked. They are shown as checkboxes. */
  readonly isMulti?: boolean
  readonly onPick: (option: Option) => void
  /** Stops editing. */
  readonly onDone: () => void
}

/**
 * A combobox: a search field with a list of options. Single selection: Enter or Tab picks the active option.
 * Multiple selection: Space toggles the active option; Enter does so while there is search text, and stops
 * editing otherwise.
 */
export function PickList(props: PickListProps): ReactNode {
  const { label, search, options, picked, isLoading = false, isMulti = false } = props
  const { field, active, isMoved, controlProps, handleKey } = usePicking(props)
  const id = useId()
  const has = options.length > 0
  const optionId = (index: number) => `${id}-${index}`
  return (
    <div className="pick" onKeyDownCapture={handleKey}>
      <input
        ref={field}
        type="text"
        className="cell-field"
        role="combobox"
        autoComplete="off"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={has}
        aria-controls={has ? id : undefined}
        aria-activedescendant={has && active >= 0 ? optionId(active) : undefined}
        value={search}
        {...controlProps}
      />
      {has && (
        <ul id={id} role="listbox" aria-label={label} aria-multiselectable={isMulti || undefined}>
          {options.map((option, index) => (
            <PickOption
              key={option.key}
              id={optionId(index)}
              content={option.content ?? option.label}
              isActive={index === active}
              isScrolled={index === active && isMoved}
              isPicked={picked.has(option.key)}
              isMulti={isMulti}
              onClick={() => {
                props.onPick(option)
                if (!isMulti) props.onDone()
              }}
            />
          ))}
        </ul>
      )}
      <ErrorNote error={props.error} />
      <div className="pick-foot">
        <span className="note" role="status">
          {isLoading ? 'Searching…' : (props.note ?? (has ? '' : 'No matches'))}
        </span>
        {isMulti && (
          <Button tabIndex={-1} onClick={props.onDone}>
            Done
          </Button>
        )}
      </div>
    </div>
  )
}

/** The active option and keyboard handling. */
function usePicking(props: PickListProps) {
  const { search, onSearch, options, picked, isLoading = false, isMulti = false, onPick } = props
  const { onDone } = props
  const [isTyped] = useState(search !== '')
  const field = useEditorFocus<HTMLInputElement>(props.label, isTyped)
  /** Index selected with the arrow keys, if any. */
  const [moved, setMoved] = useState<number>()
  const isWaiting = useRef(false)
  const first = search === '' ? options.findIndex(({ key }) => picked.has(key)) : 0
  const initial = isMulti && search === '' ? -1 : first
  const active = Math.min(moved ?? initial, options.length - 1)
  const activeOption = options[active]
  // Enter pressed during a search picks its first result, or the option moved to, when it arrives.
  useEffect(() => {
    if (!isWaiting.current || isLoading) return
    isWaiting.current = false
    if (activeOption) onPick(activeOption)
    if (isMulti) onSearch('')
    else onDone()
  }, [isLoading, activeOption, isMulti, onPick, onSearch, onDone])
  const changeSearch = (text: string) => {
    isWaiting.current = false
    setMoved(undefined)
    onSearch(text)
  }
  const isListDue = isLoading && options.length === 0
  const pickActive = (event: KeyboardEvent) => {
    const isSearching = search !== ''
    if ((isSearching && isLoading) || (isListDue && moved !== undefined)) {
      event.preventDefault()
      event.stopPropagation()
      isWaiting.current = true
      return
    }
    if (isMulti ? isSearching : isSearching || moved !== undefined) {
      if (activeOption) onPick(activeOption)
      if (isMulti && event.key === 'Enter') {
        event.stopPropagation()
        changeSearch('')
      }
    }
  }
  const handleKey = (event: KeyboardEvent) => {
    // Moves in a list that has not arrived are made when it does.
    const due = event.key === 'ArrowDown' && isListDue ? (moved ?? -1) + 1 : undefined
    const next = due ?? nextOption(event.key, active, options.length)
    if (next !== undefined) {
      event.preventDefault()
      setMoved(next)
    } else if (event.key === 'Enter' || event.key === 'Tab') pickActive(event)
    else if (event.key === ' ' && isMulti && search === '') {
      event.preventDefault()
      if (activeOption) onPick(activeOption)
    }
  }
  const controlProps = {
    onChange: ({ target }: { target: { value: string } }) => changeSearch(target.value),
  }
  return { field, active, isMoved: moved !== undefined, controlProps, handleKey }
}

function nextOption(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (Math.max(at, 0) - 1 + count) % count
  return undefined
}

function PickOption(props: {
  readonly id: string
  readonly content: ReactNode
  readonly isActive: boolean
  readonly isScrolled: boolean
  readonly isPicked: boolean
  readonly isMulti: boolean
  readonly onClick: () => void
}): ReactNode {
  const { id, content, isActive, isScrolled, isPicked, isMulti, onClick } = props
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isScrolled) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isScrolled])
  return (
    <li
      ref={item}
      id={id}
      role="option"
      aria-selected={isPicked}
      className={isActive ? 'pick-option active' : 'pick-option'}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      <span className={isMulti ? 'pick-box' : 'pick-mark'} aria-hidden="true">
        {isPicked ? '✓' : ''}
      </span>
      {content}
    </li>
  )
}
