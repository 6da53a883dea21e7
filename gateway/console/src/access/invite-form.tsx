import { useState, type ReactNode, type SyntheticEvent } from 'react'
import { Button } from '../components/button'
import { SelectField, TextField } from '../components/field'
import { ErrorNote } from '../components/states'
import { grantableRoles, roleNames, type AccessKind, type RoleName } from './role-names'

interface InviteFormProps {
  readonly kind: AccessKind
  readonly onInvite: (email: string, role: RoleName) => Promise<unknown>
}

/** Grants a role to a user by email address. */
export function InviteForm({ kind, onInvite }: InviteFormProps): ReactNode {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<RoleName>('viewers')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await onInvite(email.trim(), role)
      setEmail('')
    } catch (thrown) {
      setError(thrown)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <div className="inline-form">
        <TextField
          type="email"
          label="Email"
          value={email}
          required
          maxLength={254}
          onChange={({ target }) => setEmail(target.value)}
        />
        <SelectField
          label="Role"
          value={role}
          options={grantableRoles(kind).map((name) => [name, roleNames[name]] as const)}
          onChange={({ target }) => setRole(target.value as RoleName)}
        />
        <Button type="submit" kind="primary" isBusy={isBusy} disabled={email.trim() === ''}>
          Share
        </Button>
      </div>
      <ErrorNote error={error} />
    </form>
  )
}
