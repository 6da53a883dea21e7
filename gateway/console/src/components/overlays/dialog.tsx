import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Button } from '../button'
import { useDraft } from '../drafts'
import { TextField } from '../field'
import { ErrorNote } from '../states'
import { ToastOutlet } from '../toast'
import { useSubmit } from '../use-submit'
import { rememberFocus } from './return-focus'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
  readonly className?: string
}

const FIELDS = 'input, select, textarea'
/** Has the focus at first in a dialog without fields, unless it destroys something. */
const PRIMARY = '.dialog-foot .button.primary'

/** A modal dialog, open while it is mounted. Escape closes it. Restores the focus when it closes. */
export function Dialog(props: DialogProps): ReactNode {
  const { title, onClose, children, isWide = false, className = '' } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // A layout effect, because the browser does not restore the focus of a dialog that was already removed.
  useLayoutEffect(() => {
    const dialog = ref.current
    const returnFocus = rememberFocus()
    if (dialog && !dialog.open) dialog.showModal()
    const first = dialog?.querySelector<HTMLElement>(FIELDS) ?? dialog?.querySelector(PRIMARY)
    if (first instanceof HTMLElement) first.focus()
    return () => {
      dialog?.close()
      returnFocus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={`dialog ${isWide ? 'wide' : ''} ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" className="icon" aria-label="Close" onClick={onClose}>
          ✕
        </Button>
      </div>
      {children}
      <ToastOutlet />
    </dialog>
  )
}

interface FormDialogProps extends DialogProps {
  readonly submit: string
  readonly isDanger?: boolean
  readonly canSubmit?: boolean
  /** True to stay open after submitting. */
  readonly staysOpen?: boolean
  /** Returns true for errors that the children show. */
  readonly isShownElsewhere?: (error: unknown) => boolean
  /** The action. The dialog closes when it resolves, and shows the error if it rejects. */
  readonly onSubmit: () => Promise<unknown>
}

/** A dialog with a form. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { submit, isDanger = false, canSubmit = true, staysOpen = false, ...others } = props
  const { onSubmit, isShownElsewhere, children, ...dialog } = others
  const { error, isBusy, handleSubmit } = useSubmit(onSubmit, () => {
    if (!staysOpen) dialog.onClose()
  })
  const [isEdited, setEdited] = useState(false)
  useDraft(isEdited, `“${dialog.title}”`)
  return (
    <Dialog {...dialog}>
      <form onSubmit={handleSubmit} onInput={() => setEdited(true)}>
        {children}
        <ErrorNote error={isShownElsewhere?.(error) ? undefined : error} />
        <div className="dialog-foot">
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button
            type="submit"
            kind={isDanger ? 'danger' : 'primary'}
            disabled={!canSubmit}
            isBusy={isBusy}
          >
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ConfirmProps extends DialogProps {
  readonly confirm: string
  /** Text to type before an action that cannot be undone. */
  readonly typed?: string
  readonly onConfirm: () => Promise<unknown>
}

/** Asks for confirmation of a destructive action. */
export function ConfirmDialog(props: ConfirmProps): ReactNode {
  const { confirm, typed, onConfirm, children, ...dialog } = props
  const [entered, setEntered] = useState('')
  return (
    <FormDialog
      {...dialog}
      submit={confirm}
      isDanger
      canSubmit={typed === undefined || entered === typed}
      onSubmit={onConfirm}
    >
      {children}
      {typed !== undefined && (
        <TextField
          label={`Type “${typed}” to confirm`}
          value={entered}
          onChange={({ target }) => setEntered(target.value)}
        />
      )}
    </FormDialog>
  )
}

interface NameDialogProps {
  readonly title: string
  readonly label?: string
  readonly submit: string
  readonly initial?: string
  readonly maxLength?: number
  readonly onClose: () => void
  readonly onName: (name: string) => Promise<unknown>
  /** Fields below the name. */
  readonly children?: ReactNode
}

/** A dialog with a name field. */
export function NameDialog(props: NameDialogProps): ReactNode {
  const { title, label = 'Name', submit, initial = '', maxLength = 256, onClose, onName } = props
  const [name, setName] = useState(initial)
  const trimmed = name.trim()
  return (
    <FormDialog
      title={title}
      submit={submit}
      canSubmit={trimmed !== ''}
      onClose={onClose}
      onSubmit={() => onName(trimmed)}
    >
      <TextField
        label={label}
        value={name}
        required
        maxLength={maxLength}
        onChange={({ target }) => setName(target.value)}
      />
      {props.children}
    </FormDialog>
  )
}
