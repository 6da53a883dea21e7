import { useEffect, useRef, type ClipboardEvent, type KeyboardEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { Chip } from '../../cells/choice/chips'
import { Button } from '../../components/button'
import { Icon } from '../../components/icon'
import { Menu } from '../../components/overlays/menu'
import { choiceStyle, hueOf, hues } from '../../formats/choice-style'
import { withHue, type ChoiceDraft } from './choice-drafts'

interface ChoiceRowProps {
  readonly choice: ChoiceDraft
  readonly index: number
  readonly onChange: (choice: ChoiceDraft) => void
  readonly onAddAfter: (names: readonly string[]) => void
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
}

/** A choice: its place, colour and name. */
export function ChoiceRow(props: ChoiceRowProps): ReactNode {
  const { choice, index, onChange, onAddAfter, onMove, onRemove } = props
  const name = choice.name.trim() === '' ? `choice ${index + 1}` : `“${choice.name}”`
  const handleKey = (event: KeyboardEvent) => {
    // A key that an input method handles is no command.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    onAddAfter([''])
  }
  const handlePaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const lines = event.clipboardData.getData('text').split(/\r?\n/)
    const names = lines.map((line) => line.trim()).filter((line) => line !== '')
    if (names.length < 2) return
    event.preventDefault()
    onAddAfter(names)
  }
  return (
    <li>
      <MoveHandle name={name} index={index} onMove={onMove} />
      <ColourMenu name={name} choice={choice} onChange={onChange} />
      <input
        type="text"
        autoComplete="off"
        aria-label={`Name of choice ${index + 1}`}
        value={choice.name}
        onChange={({ target }) => onChange({ ...choice, name: target.value })}
        onKeyDown={handleKey}
        onPaste={handlePaste}
      />
      <Button kind="quiet" className="icon" aria-label={`Remove ${name}`} onClick={onRemove}>
        ✕
      </Button>
    </li>
  )
}

interface MoveHandleProps {
  readonly name: string
  readonly index: number
  readonly onMove: (to: number) => void
}

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }

/** Moves a choice: while it is dragged, to the row under the pointer. */
function MoveHandle({ name, index, onMove }: MoveHandleProps): ReactNode {
  const latest = useRef({ index, onMove })
  useEffect(() => {
    latest.current = { index, onMove }
  })
  const drag = (list: Element | null) => {
    const ended = new AbortController()
    const { signal } = ended
    const end = () => ended.abort()
    // Not captured by the handle, which is taken out and put in again when it is moved.
    window.addEventListener(
      'pointermove',
      ({ clientY, buttons }) => {
        if ((buttons & 1) === 0) return end()
        const over = rowAt(list, clientY)
        if (over >= 0 && over !== latest.current.index) latest.current.onMove(over)
      },
      { signal },
    )
    for (const type of ['pointerup', 'pointercancel'])
      window.addEventListener(type, end, { signal })
  }
  return (
    <Button
      kind="quiet"
      className="icon move-handle"
      aria-label={`Move ${name}`}
      onKeyDown={(event) => {
        const step = steps[event.key]
        if (step === undefined) return
        event.preventDefault()
        const handle = event.currentTarget
        flushSync(() => onMove(index + step))
        handle.focus()
      }}
      onPointerDown={({ currentTarget }) => drag(currentTarget.closest('ul'))}
    >
      <Icon name="handle" />
    </Button>
  )
}

/** Returns the index of the row at a height of the window; -1 for none. */
function rowAt(list: Element | null, clientY: number): number {
  return [...(list?.children ?? [])].findIndex((row) => {
    const { top, bottom } = row.getBoundingClientRect()
    return clientY >= top && clientY < bottom
  })
}

interface ColourMenuProps {
  readonly name: string
  readonly choice: ChoiceDraft
  readonly onChange: (choice: ChoiceDraft) => void
}

/** The colour of a choice: one of those offered, or none; another one that is stored stays until one of these is chosen. */
function ColourMenu({ name, choice, onChange }: ColourMenuProps): ReactNode {
  const chosen = hueOf(choice.options)
  const style = choiceStyle(choice.options)
  const isPlain = chosen === undefined && style.own === undefined
  const items = [...hues, undefined].map((hue) => ({
    label: hue ? capitalize(hue.name) : 'No colour',
    icon: <Chip text="A" style={hue && choiceStyle(hue)} />,
    option: {
      isOn: hue ? hue === chosen : isPlain,
      isExclusive: true,
      closesMenu: true,
    },
    onSelect: () => onChange(withHue(choice, hue)),
  }))
  return (
    <Menu label={`Colour of ${name}`} align="start" items={items}>
      <span className="visually-hidden">Colour of {name}: </span>
      <span aria-hidden="true">
        <Chip text="A" style={style} />
      </span>
      <span className="visually-hidden">{chosen?.name ?? (isPlain ? 'none' : 'its own')}</span>
    </Menu>
  )
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
