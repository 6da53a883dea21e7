import type { ReactNode } from 'react'
import { focusBeside } from '../../components/focus-beside'

interface ChipProps {
  readonly text: string
  readonly onOpen?: () => void
  readonly onRemove: () => void
}

/** An active filter or sort key in a list. */
export function Chip({ text, onOpen, onRemove }: ChipProps): ReactNode {
  return (
    <li className="chip">
      {onOpen ? (
        <button type="button" title={text} onClick={onOpen}>
          {text}
        </button>
      ) : (
        <span title={text}>{text}</span>
      )}
      <button
        type="button"
        aria-label={`Remove ${text}`}
        onClick={({ currentTarget }) => {
          focusBeside(currentTarget, '.grid-tools button')
          onRemove()
        }}
      >
        ✕
      </button>
    </li>
  )
}
