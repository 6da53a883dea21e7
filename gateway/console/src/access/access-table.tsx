import type { Role } from '@sheaf/client'
import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { focusBeside } from '../components/focus-beside'
import { PlainTable } from '../components/plain-table'
import { useCurrentUser } from '../session/session-provider'
import {
  EVERYONE,
  inheritedRole,
  nameOf,
  type AccessDelta,
  type AccessEntry,
  type AccessList,
} from './access-queries'
import { grantableRoles, parentKind, roleNames, type AccessKind, type RoleName } from './role-names'

interface AccessTableProps {
  readonly list: AccessList
  readonly kind: AccessKind
  readonly canChange: boolean
  readonly onChange: (delta: AccessDelta, message: string) => void
}

/** The users with access, with granted and inherited roles. */
export function AccessTable({ list, kind, canChange, onChange }: AccessTableProps): ReactNode {
  const shown = list.users.filter(
    (entry) =>
      entry.email !== EVERYONE && (entry.access !== null || inheritedRole(entry, list) !== null),
  )
  return (
    <PlainTable headers={['User', ...(kind === 'org' ? [] : ['Inherited']), 'Role', '']}>
      {shown.map((entry) => (
        <AccessRow
          key={entry.id}
          entry={entry}
          list={list}
          kind={kind}
          canChange={canChange}
          onChange={onChange}
        />
      ))}
    </PlainTable>
  )
}

function AccessRow(props: AccessTableProps & { readonly entry: AccessEntry }): ReactNode {
  const { entry, list, kind, canChange, onChange } = props
  const { email, name, access } = entry
  const inherited = inheritedRole(entry, list)
  const isSelf = useCurrentUser().id === entry.id
  const set = (role: RoleName | null) =>
    onChange(
      { users: { [email]: role } },
      role ? `${email}: ${roleNames[role]}.` : `${email}: removed.`,
    )
  return (
    <tr>
      <th scope="row">
        {nameOf(entry)}
        {name !== '' && <span className="note block">{email}</span>}
      </th>
      {kind !== 'org' && (
        <td data-label="Inherited">{inherited ? inheritedRoleText(inherited, kind) : '–'}</td>
      )}
      <td data-label="Role">
        {canChange && !isSelf ? (
          <RoleSelect kind={kind} access={access} email={email} onSelect={set} />
        ) : (
          roleOf(access)
        )}
      </td>
      <td>
        {canChange && !isSelf && access !== null && access !== 'guests' && (
          <Button
            aria-label={`Remove ${email}`}
            onClick={({ currentTarget }) => {
              focusBeside(currentTarget, 'form input')
              set(null)
            }}
          >
            Remove
          </Button>
        )}
      </td>
    </tr>
  )
}

const inheritedRoleText = (role: Role, kind: AccessKind) =>
  `${roleNames[role]}, from the ${parentKind(kind)}`

const roleOf = (access: RoleName | null) => (access === null ? '–' : roleNames[access])

interface RoleSelectProps {
  readonly kind: AccessKind
  readonly access: RoleName | null
  readonly email: string
  readonly onSelect: (role: RoleName) => void
}

function RoleSelect({ kind, access, email, onSelect }: RoleSelectProps): ReactNode {
  const roles = grantableRoles(kind)
  const isGiven = roles.some((role) => role === access)
  return (
    <select
      className="small"
      aria-label={`Role of ${email}`}
      value={access ?? ''}
      onChange={({ target }) => onSelect(target.value as RoleName)}
    >
      {!isGiven && (
        <option value={access ?? ''} disabled>
          {roleOf(access)}
        </option>
      )}
      {roles.map((role) => (
        <option key={role} value={role}>
          {roleNames[role]}
        </option>
      ))}
    </select>
  )
}
