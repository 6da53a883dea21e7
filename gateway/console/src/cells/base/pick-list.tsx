import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Button } from '../../components/button'
import { ErrorNote } from '../../components/states'
import { useOpening } from './type-ahead'

/** One thing that can be picked. */
export interface Option {
  readonly key: string
  readonly label: string
  /** What is handed over for it. */
  readonly value: unknown
}

interface PickListProps {
  readonly label: string
  readonly search: string
  readonly onSearch: (text: string) => void
  /** What isValid the search. */
  readonly options: readonly Option[]
  /** Keys of those that are picked. */
  readonly picked: ReadonlySet<string>
  /** True while `options` are those of an earlier search. */
  readonly isLoading?: boolean
  readonly error?: unknown
  /** What stands below the list. */
  readonly note?: string
  /** True where several can be picked: each is a box to tick. */
  readonly isMulti?: boolean
  readonly onPick: (option: Option) => void
  /** Ends the editing. */
  readonly onDone: () => void
}

/**
 * A field to search in, with the list of what was found below it. One: Enter or Tab takes the option at hand. Several:
 * Space ticks it, Enter does while there is a search, and ends the editing otherwise.
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
              label={option.label}
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
          {isLoading ? 'Searching…' : (props.note ?? (has ? '' : 'Nothing found'))}
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

/** Which option is at hand, and what keys do. */
function usePicking(props: PickListProps) {
  const { search, onSearch, options, picked, isLoading = false, isMulti = false, onPick } = props
  const { onDone } = props
  const [isTyped] = useState(search !== '')
  const field = useOpening<HTMLInputElement>(props.label, isTyped)
  /** Undefined until the arrow keys choose one. */
  const [moved, setMoved] = useState<number>()
  const isWaiting = useRef(false)
  const first = search === '' ? options.findIndex(({ key }) => picked.has(key)) : 0
  const usual = isMulti && search === '' ? -1 : first
  const active = Math.min(moved ?? usual, options.length - 1)
  const atHand = options[active]
  // Who pressed Enter before the answer came means what it finds.
  useEffect(() => {
    if (!isWaiting.current || isLoading) return
    isWaiting.current = false
    if (atHand) onPick(atHand)
    if (isMulti) onSearch('')
    else onDone()
  }, [isLoading, atHand, isMulti, onPick, onSearch, onDone])
  const changeSearch = (text: string) => {
    isWaiting.current = false
    setMoved(undefined)
    onSearch(text)
  }
  const take = (event: KeyboardEvent) => {
    const isSought = search !== ''
    if (isSought && isLoading) {
      event.preventDefault()
      event.stopPropagation()
      isWaiting.current = true
      return
    }
    if (isMulti ? isSought : isSought || moved !== undefined) {
      if (atHand) onPick(atHand)
      if (isMulti && event.key === 'Enter') {
        event.stopPropagation()
        changeSearch('')
      }
    }
  }
  const handleKey = (event: KeyboardEvent) => {
    const next = stepOf(event.key, active, options.length)
    if (next !== undefined) {
      event.preventDefault()
      setMoved(next)
    } else if (event.key === 'Enter' || event.key === 'Tab') take(event)
    else if (event.key === ' ' && isMulti && search === '') {
      event.preventDefault()
      if (atHand) onPick(atHand)
    }
  }
  const controlProps = {
    onChange: ({ target }: { target: { value: string } }) => changeSearch(target.value),
  }
  return { field, active, isMoved: moved !== undefined, controlProps, handleKey }
}

function stepOf(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (Math.max(at, 0) - 1 + count) % count
  return undefined
}

function PickOption(props: {
  readonly id: string
  readonly label: string
  readonly isActive: boolean
  readonly isScrolled: boolean
  readonly isPicked: boolean
  readonly isMulti: boolean
  readonly onClick: () => void
}): ReactNode {
  const { id, label, isActive, isScrolled, isPicked, isMulti, onClick } = props
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
      {label}
    </li>
  )
}
