import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { CopyText } from '../components/copy-text'
import { Dialog, FormDialog } from '../components/overlays/dialog'
import { CheckField, TextField } from '../components/field'
import { lastDates } from '../formats/date'
import { createKey, keysKey, type NewApiKey } from './api-keys'
import { emptySelection, ScopePicker, type ScopeSelection } from './scope-picker'

/** Creates a named key and shows it once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('')
  const [expiryDate, setExpiryDate] = useState('')
  const [readOnly, setReadOnly] = useState(false)
  const [isRestricted, setRestricted] = useState(false)
  const [selection, setSelection] = useState<ScopeSelection>(emptySelection)
  const [created, setCreated] = useState<string>()
  const { mutate } = useApiMutation(keysKey)
  if (created !== undefined)
    return <CreatedKey name={name.trim()} text={created} onClose={onClose} />
  const isEmptyScope =
    isRestricted &&
    Object.values(selection).every((chosen: readonly unknown[]) => chosen.length === 0)
  const submit = async () => {
    const body: NewApiKey = {
      name: name.trim(),
      expiresAt: expiryDate === '' ? undefined : endOfDay(expiryDate),
      scope: readOnly || isRestricted ? { readOnly, ...(isRestricted && selection) } : undefined,
    }
    const { key } = await mutate(() => createKey(body))
    setCreated(key)
  }
  return (
    <FormDialog
      title="New key"
      submit="Create key"
      isWide
      canSubmit={name.trim() !== '' && !isEmptyScope}
      staysOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        hint="What the key is used for."
        value={name}
        required
        maxLength={256}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        type="date"
        label="Expiry date"
        hint="Leave empty for a key that does not expire."
        value={expiryDate}
        min={today()}
        max={lastDates.date}
        onChange={({ target }) => setExpiryDate(target.value)}
      />
      <CheckField
        label="Read-only"
        checked={readOnly}
        onChange={({ target }) => setReadOnly(target.checked)}
      />
      <CheckField
        label="Restrict to selected sites, workspaces or documents"
        checked={isRestricted}
        onChange={({ target }) => setRestricted(target.checked)}
      />
      {isRestricted && <ScopePicker selection={selection} onChange={setSelection} />}
    </FormDialog>
  )
}

function CreatedKey(props: {
  readonly name: string
  readonly text: string
  readonly onClose: () => void
}): ReactNode {
  return (
    <Dialog title={`Key “${props.name}”`} onClose={props.onClose}>
      <p>
        <strong>Copy the key now. It will not be shown again.</strong>
      </p>
      <CopyText label="new key" text={props.text} takesFocus />
      <footer className="dialog-foot">
        <Button kind="primary" onClick={props.onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  )
}

/** Returns the end of a day in the time zone of the user. */
const endOfDay = (day: string) => new Date(`${day}T23:59:59`).toISOString()

/** Returns today's date in the time zone of the user, as the value of a date field. */
function today(): string {
  const now = new Date()
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
}
