import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { Button } from '../button'
import { followWindow } from './keep-in-window'

interface PopoverProps {
  readonly label: string
  /** Content of the button. */
  readonly button: ReactNode
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A control in it that has the focus when it opens, unless another one has taken it. */
const FIRST = 'input, select, textarea, button'

/**
 * A button with a panel below it, which does not block the page. Escape and a click beside it close it. On narrow screens the
 * panel is at the bottom of the window. Restores the focus when it closes.
 */
export function Popover(props: PopoverProps): ReactNode {
  const { label, button, isOpen, onOpen, onClose, children } = props
  const root = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = ({ target }: Event) => {
      // What was removed by the click itself is not beside it.
      if (target instanceof Node && target.isConnected && !root.current?.contains(target)) onClose()
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen, onClose])
  const handleKey = (event: KeyboardEvent) => {
    // An input method ends its composition with this key.
    if (event.key !== 'Escape' || !isOpen || event.nativeEvent.isComposing) return
    event.stopPropagation()
    onClose()
  }
  return (
    <div className="menu" ref={root} onKeyDown={handleKey}>
      <Button
        kind="quiet"
        className="icon"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={isOpen ? onClose : onOpen}
      >
        {button}
      </Button>
      {isOpen && (
        <Panel id={id} label={label}>
          {children}
        </Panel>
      )}
    </div>
  )
}

function Panel(props: {
  readonly id: string
  readonly label: string
  readonly children: ReactNode
}): ReactNode {
  const { id, label, children } = props
  const panel = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = panel
    if (!current) return
    const opener = document.activeElement as HTMLElement | null
    const button = current.parentElement?.querySelector<HTMLElement>('button')
    // Before the focus, which would scroll the page to a panel that is beyond its edge.
    const unfollow = followWindow(current)
    if (!current.contains(opener)) current.querySelector<HTMLElement>(FIRST)?.focus()
    return () => {
      unfollow()
      // A click beside it has moved the focus already.
      if (!current.contains(document.activeElement) && document.activeElement !== document.body)
        return
      if (opener?.isConnected && opener !== document.body) opener.focus()
      else button?.focus()
    }
  }, [])
  return (
    <div className="popover" role="dialog" id={id} aria-label={label} ref={panel}>
      {children}
    </div>
  )
}
