import { useId, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { Button } from '../button'
import { coverPage } from './cover'
import { rememberFocus } from './return-focus'

interface SidePanelProps {
  readonly title: string
  /** Called by Escape in the panel, and by its button. */
  readonly onClose: () => void
  readonly isWide?: boolean
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** What has the focus at first. */
const FIELDS = '.panel-body :is(input, select, textarea)'

/**
 * A panel beside the page, which stays usable; on narrow screens above it, where the page cannot be reached if the panel covers it.
 * Has the focus at first, and gives it back when it is closed, unless the user has left the panel.
 */
export function SidePanel(props: SidePanelProps): ReactNode {
  const { title, onClose, isWide = false, actions, children } = props
  const ref = useRef<HTMLDivElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const panel = ref.current
    const returnFocus = rememberFocus()
    const uncover = panel && coverPage(panel)
    const first = panel?.querySelector<HTMLElement>(FIELDS) ?? panel
    first?.focus()
    return () => {
      uncover?.()
      if (panel?.contains(document.activeElement)) returnFocus()
    }
  }, [])
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return
    event.preventDefault()
    onClose()
  }
  return (
    <div
      ref={ref}
      className={isWide ? 'side-panel wide' : 'side-panel'}
      role="dialog"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={handleKey}
    >
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {actions}
        <Button kind="quiet" className="icon" aria-label="Close" onClick={onClose}>
          ✕
        </Button>
      </div>
      {children}
    </div>
  )
}
