import { createContext, use, type ReactNode } from 'react'
import { createPortal } from 'react-dom'

/** The place in the top bar for what the open page is; null until the bar is drawn. */
export const TopBarSlot = createContext<HTMLElement | null>(null)

/** Draws its children in the top bar, in place of the main navigation: for pages that need the height of the window. */
export function InTopBar({ children }: { readonly children: ReactNode }): ReactNode {
  const slot = use(TopBarSlot)
  return slot && createPortal(children, slot)
}
