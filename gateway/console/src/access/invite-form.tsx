import { useQuery } from '@tanstack/react-query'
import { useId, useState, type ReactNode, type SyntheticEvent } from 'react'
import { Button } from '../components/button'
import { SelectField, TextField } from '../components/field'
import { ConfirmDialog } from '../components/overlays/dialog'
import { ErrorNote } from '../components/states'
import {
  nameOf,
  peopleQuery,
  suggestPeople,
  type AccessList,
  type SharedPlace,
} from './access-queries'
import { grantableRoles, isLowerRole, roleHints, roleNames, type RoleName } from './role-names'

interface InviteFormProps {
  readonly place: SharedPlace
  readonly list: AccessList
  readonly onInvite: (email: string, role: RoleName) => Promise<unknown>
}

/** Grants a role to a user by email address; suggests people of the site. Asks before it lowers the role of someone. */
export function InviteForm({ place, list, onInvite }: InviteFormProps): ReactNode {
  const { kind, orgId } = place
  const people = useQuery(peopleQuery(orgId))
  const suggestions = useId()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<RoleName>('viewers')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [lowered, setLowered] = useState<Lowered>()
  const invite = async () => {
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
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const from = roleIn(list, email.trim())
    if (from && isLowerRole(role, from)) setLowered({ email: email.trim(), from, to: role })
    else void invite()
  }
  return (
    <>
      <form onSubmit={submit}>
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
      {lowered && (
        <LowerDialog lowered={lowered} onClose={() => setLowered(undefined)} onConfirm={invite} />
      )}
    </>
  )
}

/** A role that would allow less than the one that its user has. */
interface Lowered {
  readonly email: string
  readonly from: RoleName
  readonly to: RoleName
}

/** Returns the role that a user has of their own. */
const roleIn = (list: AccessList, email: string): RoleName | null | undefined =>
  list.users.find((user) => user.email.toLowerCase() === email.toLowerCase())?.access

interface LowerDialogProps {
  readonly lowered: Lowered
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

function LowerDialog({ lowered: { email, from, to }, ...dialog }: LowerDialogProps): ReactNode {
  return (
    <ConfirmDialog
      title={`${email} is already ${roleNames[from]}`}
      confirm={`Change to ${roleNames[to]}`}
      {...dialog}
    >
      <p>
        As {roleNames[to]}, {email} can do less than as {roleNames[from]}. {roleHints[to]}
      </p>
    </ConfirmDialog>
  )
}
