import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Dialog } from '../components/overlays/dialog'

interface ImportedDialogProps {
  readonly title: string
  /** What of the file was left out or changed. */
  readonly notes: readonly string[]
  readonly onClose: () => void
  /** Further buttons. */
  readonly children?: ReactNode
}

/** Tells what of a file was left out or changed by its import. */
export function ImportedDialog({
  title,
  notes,
  onClose,
  children,
}: ImportedDialogProps): ReactNode {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Not everything in the file could be imported as it was:</p>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <footer className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
        {children}
      </footer>
    </Dialog>
  )
}
