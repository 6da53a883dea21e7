import type { KeyboardEvent, ReactNode } from 'react'

/** What is on or off in a menu, which stays open when it is selected. */
interface MenuOption {
  readonly isOn: boolean
  /** True if it excludes its neighbours. */
  readonly isExclusive?: boolean
  /** True to close the menu nevertheless. */
  readonly closesMenu?: boolean
}

/** An item of a menu. */
export interface MenuItem {
  readonly label: string
  readonly icon?: ReactNode
  readonly onSelect: () => void
  readonly isDanger?: boolean
  /** True for an item that can be read and focused, but does nothing now. */
  readonly isDisabled?: boolean
  /** For an item that is on or off. */
  readonly option?: MenuOption
  /** True for the first item of a group, which has a line above it. */
  readonly startsGroup?: boolean
}

const ITEMS = '[role^=menuitem]'

/** Focuses the first item of an element with a menu. */
export function focusFirstItem(menu: HTMLElement | null): void {
  menu?.querySelector<HTMLElement>(ITEMS)?.focus()
}

/** Moves the focus among the items of an element with a menu by the arrow keys, Home and End. */
export function moveAmongItems(event: KeyboardEvent, menu: HTMLElement | null): void {
  const items = [...(menu?.querySelectorAll<HTMLElement>(ITEMS) ?? [])]
  const index = items.indexOf(event.target as HTMLElement)
  const next = nextItem(event.key, index, items.length)
  if (next === undefined) return
  event.preventDefault()
  items[next]?.focus()
}

function nextItem(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return (index + 1) % count
  if (key === 'ArrowUp') return (index - 1 + count) % count
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

interface MenuItemsProps {
  readonly items: readonly MenuItem[]
  readonly onSelect: (item: MenuItem) => void
}

/** The items of a menu. */
export function MenuItems({ items, onSelect }: MenuItemsProps): ReactNode {
  return items.map((item, place) => (
    // Columns may have the same label.
    <MenuEntry key={`${place} ${item.label}`} item={item} onSelect={() => onSelect(item)} />
  ))
}

function MenuEntry({ item, onSelect }: { readonly item: MenuItem; readonly onSelect: () => void }) {
  const { label, icon, isDanger, isDisabled, option, startsGroup } = item
  const kind = option?.isExclusive === true ? 'menuitemradio' : 'menuitemcheckbox'
  return (
    <>
      {startsGroup && <hr className="menu-line" />}
      <button
        type="button"
        role={option ? kind : 'menuitem'}
        aria-checked={option?.isOn}
        aria-disabled={isDisabled}
        tabIndex={-1}
        className={isDanger ? 'menu-item danger' : 'menu-item'}
        onClick={isDisabled ? undefined : onSelect}
      >
        {option && (
          <span className="menu-mark" aria-hidden="true">
            {option.isOn ? '✓' : ''}
          </span>
        )}
        {icon}
        {label}
      </button>
    </>
  )
}
