import { useQuery } from '@tanstack/react-query'
import { useId, useState, type ReactNode, type SyntheticEvent } from 'react'
import { Button } from '../components/button'
import { SelectField, TextField } from '../components/field'
import { ErrorNote } from '../components/states'
import {
  nameOf,
  peopleQuery,
  suggestPeople,
  type AccessList,
  type SharedPlace,
} from './access-queries'
import { grantableRoles, roleHints, roleNames, type RoleName } from './role-names'

interface InviteFormProps {
  readonly place: SharedPlace
  readonly list: AccessList
  readonly onInvite: (email: string, role: RoleName) => Promise<unknown>
}

/** Grants a role to a user by email address; suggests people of the site. */
export function InviteForm({ place, list, onInvite }: InviteFormProps): ReactNode {
  const { kind, orgId } = place
  const people = useQuery(peopleQuery(orgId))
  const suggestions = useId()
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
          list={suggestions}
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
      <datalist id={suggestions}>
        {suggestPeople(people.data, list).map((entry) => (
          <option key={entry.id} value={entry.email} label={nameOf(entry)} />
        ))}
      </datalist>
      <p className="note">{roleHints[role]}</p>
      <ErrorNote error={error} />
    </form>
  )
}
