import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Button } from './button'

/** An item of a menu. */
export interface MenuItem {
  readonly label: string
  readonly onSelect: () => void
  readonly isDanger?: boolean
}

interface MenuProps {
  /** Accessible name of the menu, and of a button without text. */
  readonly label: string
  readonly items: readonly MenuItem[]
  /** Content of the button. */
  readonly children?: ReactNode
}

/** Returns the index that a navigation key moves to in a menu; undefined for other keys. */
export function nextItem(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return (index + 1) % count
  if (key === 'ArrowUp') return (index - 1 + count) % count
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

/** A button that opens a menu. Renders nothing if there are no items. */
export function Menu({ label, items, children }: MenuProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    root.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
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
      if (event.key === 'Escape') button.current?.focus()
      return
    }
    const options = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const next = nextItem(event.key, options.indexOf(event.target as HTMLElement), options.length)
    if (next === undefined) return
    event.preventDefault()
    options[next]?.focus()
  }
  const select = (item: MenuItem) => {
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
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children ?? '⋯'}
      </Button>
      {isOpen && (
        <div className="menu-list" role="menu" id={id} aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={item.isDanger ? 'menu-item danger' : 'menu-item'}
              onClick={() => select(item)}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
