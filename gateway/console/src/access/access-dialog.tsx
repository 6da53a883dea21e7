import type { Role } from '@sheaf/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { CheckField, SelectField } from '../components/field'
import { Dialog } from '../components/dialog'
import { ErrorState, Loading } from '../components/states'
import {
  accessQuery,
  changeAccess,
  EVERYONE,
  withDelta,
  type AccessDelta,
  type AccessList,
} from './access-queries'
import { AccessTable } from './access-table'
import { InviteForm } from './invite-form'
import { roleNames, type AccessKind } from './role-names'

interface AccessDialogProps {
  readonly kind: AccessKind
  /** Path in the API. */
  readonly path: string
  readonly name: string
  readonly onClose: () => void
}

/** Shows who has access to a resource. Owners can change it. */
export function AccessDialog({ kind, path, name, onClose }: AccessDialogProps): ReactNode {
  const { data, error, refetch } = useQuery(accessQuery(path))
  // Roles on other resources may depend on it.
  const { isBusy, mutate, mutateOrToast } = useApiMutation(
    ['access'],
    ['workspaces'],
    ['document'],
    ['orgs'],
  )
  const client = useQueryClient()
  const change = (delta: AccessDelta, message: string) => {
    // Optimistic update; the response of the server follows.
    client.setQueryData(accessQuery(path).queryKey, (list) => list && withDelta(list, delta))
    mutateOrToast(() => changeAccess(path, delta), message)
  }
  const canChange = data?.personal === undefined
  return (
    <Dialog title={`Access to “${name}”`} isWide onClose={onClose}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="access" />}
      {data && (
        <>
          {!canChange && (
            <p className="note">Only owners can see and change the access of others.</p>
          )}
          {canChange && (
            <InviteForm
              kind={kind}
              onInvite={(email, role) =>
                mutate(
                  () => changeAccess(path, { users: { [email]: role } }),
                  `${email}: ${roleNames[role]}.`,
                )
              }
            />
          )}
          <AccessTable list={data} kind={kind} canChange={canChange} onChange={change} />
          {canChange && kind !== 'org' && (
            <SharingFields list={data} isBusy={isBusy} onChange={change} />
          )}
        </>
      )}
    </Dialog>
  )
}

interface SharingFieldsProps {
  readonly list: AccessList
  readonly isBusy: boolean
  readonly onChange: (delta: AccessDelta, message: string) => void
}

const inheritOptions: readonly (readonly [string, string])[] = [
  ['owners', 'All roles'],
  ['editors', 'At most editor'],
  ['viewers', 'At most viewer'],
  ['', 'None'],
]

/** Inherited and public access. */
function SharingFields({ list, isBusy, onChange }: SharingFieldsProps): ReactNode {
  const isPublic = list.users.some(({ email, access }) => email === EVERYONE && access !== null)
  const share = () =>
    onChange(
      { users: { [EVERYONE]: isPublic ? null : 'viewers' } },
      isPublic ? 'Public access disabled.' : 'Anyone with the link can view.',
    )
  return (
    <>
      <SelectField
        label="Inherited roles"
        value={list.maxInheritedRole ?? ''}
        options={inheritOptions}
        disabled={isBusy}
        onChange={({ target: { value } }) =>
          onChange(
            { maxInheritedRole: value === '' ? null : (value as Role) },
            'Inherited roles changed.',
          )
        }
      />
      <CheckField
        label="Anyone with the link can view, without signing in"
        checked={isPublic}
        disabled={isBusy}
        onChange={share}
      />
    </>
  )
}
