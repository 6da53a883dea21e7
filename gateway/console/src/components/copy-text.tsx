import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Button } from './button'

interface CopyTextProps {
  /** What the text is, for those who hear the page. */
  readonly label: string
  readonly text: string
  readonly isBlock?: boolean
  /** True where it takes the place of the button that made it. */
  readonly takesFocus?: boolean
}

/** A text with a button that copies it. */
export function CopyText(props: CopyTextProps): ReactNode {
  const { label, text, isBlock = false, takesFocus = false } = props
  const [said, setSaid] = useState('')
  const shown = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) button.current?.focus()
  }, [takesFocus])
  const select = () => {
    const range = document.createRange()
    if (shown.current) range.selectNodeContents(shown.current)
    const selection = window.getSelection()
    selection?.removeAllRanges()
    selection?.addRange(range)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      // Browsers give the clipboard to pages that came by TLS, or from this machine.
      select()
      setSaid('Selected: copy it with the keyboard')
    }
  }
  return (
    <div className={isBlock ? 'copy block' : 'copy'}>
      {isBlock ? (
        <pre tabIndex={0} aria-label={label}>
          <code ref={shown}>{text}</code>
        </pre>
      ) : (
        <code ref={shown} aria-label={label} role="textbox" aria-readonly="true" tabIndex={0}>
          {text}
        </code>
      )}
      <Button ref={button} aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </Button>
      <span className="note" role="status">
        {said}
      </span>
    </div>
  )
}
