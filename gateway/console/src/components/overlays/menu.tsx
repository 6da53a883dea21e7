import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { Button } from '../button'
import { followWindow } from './keep-in-window'
import { focusFirstItem, MenuItems, moveAmongItems, type MenuItem } from './menu-items'

interface MenuProps {
  /** Accessible name of the menu, and of a button without text. */
  readonly label: string
  readonly items: readonly MenuItem[]
  /** Where the menu is below its button: it ends where the button does, unless it starts where the button does. */
  readonly align?: 'start' | 'end'
  /** Called when the menu may be opened next: the pointer or the focus is on the button. */
  readonly onApproach?: () => void
  /** That of the button. */
  readonly tabIndex?: number
  /** Content of the button. */
  readonly children?: ReactNode
}

/** A button that opens a menu. Renders nothing if there are no items. */
export function Menu(props: MenuProps): ReactNode {
  const { label, items, align = 'end', onApproach, tabIndex, children } = props
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const { current } = list
    return isOpen && current ? followWindow(current) : undefined
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    focusFirstItem(root.current)
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen])
  if (items.length === 0) return null
  const handleKey = (event: KeyboardEvent) => {
    if (!isOpen) return
    if (event.key === 'Escape' || event.key === 'Tab') {
      setOpen(false)
      if (event.key === 'Tab') return
      // What contains the menu stays open.
      event.preventDefault()
      button.current?.focus()
      return
    }
    moveAmongItems(event, root.current)
  }
  const select = (item: MenuItem) => {
    if (item.option && !item.option.closesMenu) return item.onSelect()
    setOpen(false)
    // A dialog opened by the item restores the focus to this button.
    button.current?.focus()
    item.onSelect()
  }
  return (
    <div className="menu" ref={root} onKeyDown={handleKey}>
      <Button
        ref={button}
        kind="quiet"
        className="icon"
        aria-label={children === undefined ? label : undefined}
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onPointerEnter={onApproach}
        onFocus={onApproach}
        onClick={() => setOpen(!isOpen)}
      >
        {children ?? '⋯'}
      </Button>
      {isOpen && (
        <div className={`menu-list ${align}`} role="menu" id={id} aria-label={label} ref={list}>
          <MenuItems items={items} onSelect={select} />
        </div>
      )}
    </div>
  )
}
