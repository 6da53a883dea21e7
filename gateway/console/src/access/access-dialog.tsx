import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Role } from '../api/resources'
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

/** Shows who has access, and lets owners change it. */
export function AccessDialog({ kind, path, name, onClose }: AccessDialogProps): ReactNode {
  const { data, error, refetch } = useQuery(accessQuery(path))
  // What somebody may do elsewhere can hang on it.
  const { isBusy, mutate, mutateOrToast } = useApiMutation(
    ['access'],
    ['workspaces'],
    ['document'],
    ['orgs'],
  )
  const client = useQueryClient()
  const change = (delta: AccessDelta, told: string) => {
    // Controls show at once what was chosen; what the server says comes after.
    client.setQueryData(accessQuery(path).queryKey, (list) => list && withDelta(list, delta))
    mutateOrToast(() => changeAccess(path, delta), told)
  }
  const canChange = data?.personal === undefined
  return (
    <Dialog title={`Access to “${name}”`} isWide onClose={onClose}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="who has access" />}
      {data && (
        <>
          {!canChange && <p className="note">Only owners see and change who else has access.</p>}
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
  readonly onChange: (delta: AccessDelta, told: string) => void
}

const inheritOptions: readonly (readonly [string, string])[] = [
  ['owners', 'All roles come down'],
  ['editors', 'At most as editors'],
  ['viewers', 'At most as viewers'],
  ['', 'Nobody comes in that way'],
]

/** What is shared with whom by other means than by name. */
function SharingFields({ list, isBusy, onChange }: SharingFieldsProps): ReactNode {
  const isPublic = list.users.some(({ email, access }) => email === EVERYONE && access !== null)
  const share = () =>
    onChange(
      { users: { [EVERYONE]: isPublic ? null : 'viewers' } },
      isPublic ? 'It is no longer shared with everyone.' : 'Everyone with the address can view it.',
    )
  return (
    <>
      <SelectField
        label="Who has a role on what it lies in"
        value={list.maxInheritedRole ?? ''}
        options={inheritOptions}
        disabled={isBusy}
        onChange={({ target: { value } }) =>
          onChange({ maxInheritedRole: value === '' ? null : (value as Role) }, 'It is changed.')
        }
      />
      <CheckField
        label="Everyone who knows the address may view it, also without signing in"
        checked={isPublic}
        disabled={isBusy}
        onChange={share}
      />
    </>
  )
}
