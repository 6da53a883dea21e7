import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Button } from './button'

interface CopyTextProps {
  /** Accessible name of the text. */
  readonly label: string
  readonly text: string
  readonly isBlock?: boolean
  /** True if it replaces the focused button that created it. */
  readonly takesFocus?: boolean
}

/** Text with a copy button. */
export function CopyText(props: CopyTextProps): ReactNode {
  const { label, text, isBlock = false, takesFocus = false } = props
  const [status, setStatus] = useState('')
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
      setStatus('Copied')
    } catch {
      // The clipboard API is available in secure contexts only: HTTPS or localhost.
      select()
      setStatus('Text selected. Copy it with the keyboard.')
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
        {status}
      </span>
    </div>
  )
}
