import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import type { MenuItem } from '../../components/menu'

interface ColumnMenuProps {
  readonly label: string
  /** What it opens at, and what gets the focus back. */
  readonly head: HTMLElement
  readonly items: readonly MenuItem[]
  readonly onClose: () => void
}

const MARGIN = 8

/** The menu of a column, below its head. */
export function ColumnMenu({ label, head, items, onClose }: ColumnMenuProps): ReactNode {
  const root = useRef<HTMLDivElement>(null)
  const close = (givesBack: boolean) => {
    onClose()
    if (givesBack) head.focus()
  }
  useLayoutEffect(() => {
    const menu = root.current
    if (!menu) return
    const at = head.getBoundingClientRect()
    const left = Math.min(at.left, window.innerWidth - menu.offsetWidth - MARGIN)
    menu.style.left = `${Math.max(MARGIN, left)}px`
    menu.style.top = `${at.bottom}px`
    menu.querySelector<HTMLElement>('[role=menuitem]')?.focus()
  }, [head])
  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) onClose()
    }
    document.addEventListener('pointerdown', closeOutside)
    window.addEventListener('resize', onClose)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      window.removeEventListener('resize', onClose)
    }
  }, [onClose])
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      return close(true)
    }
    const options = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = options.indexOf(event.target as HTMLElement)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % options.length,
      ArrowUp: (at - 1 + options.length) % options.length,
      Home: 0,
      End: options.length - 1,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    options[next]?.focus()
  }
  return (
    <div
      className="menu-list column-menu"
      role="menu"
      aria-label={label}
      ref={root}
      onKeyDown={handleKey}
    >
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={item.isDanger ? 'menu-item danger' : 'menu-item'}
          onClick={() => {
            // A dialog that opens now takes the focus from here, and gives it back to here.
            close(true)
            item.onSelect()
          }}
        >
          {item.label}
        </button>
      ))}
    </div>
  )
}
