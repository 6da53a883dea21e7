import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import {
  focusFirstItem,
  MenuItems,
  moveAmongItems,
  type MenuItem,
} from '../../components/overlays/menu-items'

interface ColumnMenuProps {
  readonly label: string
  /** The element to open at, which gets the focus back. */
  readonly header: HTMLElement
  readonly items: readonly MenuItem[]
  readonly onClose: () => void
}

const MARGIN = 8

/** The menu of a column, below its header. */
export function ColumnMenu({ label, header, items, onClose }: ColumnMenuProps): ReactNode {
  const root = useRef<HTMLDivElement>(null)
  const close = (restoresFocus: boolean) => {
    onClose()
    if (restoresFocus) header.focus()
  }
  useLayoutEffect(() => {
    const menu = root.current
    if (!menu) return
    const rect = header.getBoundingClientRect()
    const left = Math.min(rect.left, window.innerWidth - menu.offsetWidth - MARGIN)
    menu.style.left = `${Math.max(MARGIN, left)}px`
    menu.style.top = `${rect.bottom}px`
    menu.style.maxHeight = `${window.innerHeight - rect.bottom - MARGIN}px`
    focusFirstItem(menu)
  }, [header])
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
    moveAmongItems(event, root.current)
  }
  return (
    <div
      className="menu-list column-menu"
      role="menu"
      aria-label={label}
      ref={root}
      onKeyDown={handleKey}
    >
      <MenuItems
        items={items}
        onSelect={(item) => {
          // A dialog opened by the item restores the focus to the header.
          close(true)
          item.onSelect()
        }}
      />
    </div>
  )
}
