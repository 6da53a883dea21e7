import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { CopyText } from '../components/copy-text'
import { Dialog, FormDialog } from '../components/dialog'
import { CheckField, TextField } from '../components/field'
import { createKey, keysKey, type NewApiKey } from './api-keys'
import { emptySelection, ScopePicker, type ScopeSelection } from './scope-picker'

/** Asks what a new key is for, makes it, and shows it this once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('')
  const [lastDay, setLastDay] = useState('')
  const [readOnly, setReadOnly] = useState(false)
  const [isConfined, setConfined] = useState(false)
  const [places, setPlaces] = useState<ScopeSelection>(emptySelection)
  const [made, setMade] = useState<string>()
  const { mutate } = useApiMutation(keysKey)
  if (made !== undefined) return <MadeKey name={name.trim()} text={made} onClose={onClose} />
  const reachesNothing =
    isConfined && Object.values(places).every((chosen: readonly unknown[]) => chosen.length === 0)
  const submit = async () => {
    const body: NewApiKey = {
      name: name.trim(),
      expiresAt: lastDay === '' ? undefined : endOfDay(lastDay),
      scope: readOnly || isConfined ? { readOnly, ...(isConfined && places) } : undefined,
    }
    const { key } = await mutate(() => createKey(body))
    setMade(key)
  }
  return (
    <FormDialog
      title="New key"
      submit="Create key"
      isWide
      canSubmit={name.trim() !== '' && !reachesNothing}
      staysOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        hint="What the key is for."
        value={name}
        required
        maxLength={256}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        type="date"
        label="Last day"
        hint="Empty for a key that does not end by itself."
        value={lastDay}
        min={today()}
        onChange={({ target }) => setLastDay(target.value)}
      />
      <CheckField
        label="It may only read"
        checked={readOnly}
        onChange={({ target }) => setReadOnly(target.checked)}
      />
      <CheckField
        label="It reaches only some sites, workspaces or documents"
        checked={isConfined}
        onChange={({ target }) => setConfined(target.checked)}
      />
      {isConfined && <ScopePicker places={places} onChange={setPlaces} />}
    </FormDialog>
  )
}

function MadeKey(props: {
  readonly name: string
  readonly text: string
  readonly onClose: () => void
}): ReactNode {
  return (
    <Dialog title={`Key “${props.name}”`} onClose={props.onClose}>
      <p>
        <strong>Copy the key now: it is not shown again.</strong>
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

/** The end of a day where the user is. */
const endOfDay = (day: string) => new Date(`${day}T23:59:59`).toISOString()

/** Today where the user is, as fields for dates write it. */
function today(): string {
  const now = new Date()
  const two = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
