import type { Role } from '@sheaf/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { CheckField, SelectField } from '../components/field'
import { Dialog } from '../components/overlays/dialog'
import { ErrorState, Loading } from '../components/states'
import {
  accessQuery,
  changeAccess,
  EVERYONE,
  withDelta,
  type AccessDelta,
  type AccessList,
  type SharedPlace,
} from './access-queries'
import { AccessTable } from './access-table'
import { InviteForm } from './invite-form'
import { parentKind, roleNames, type AccessKind } from './role-names'
import { ShareLink } from './share-link'

interface AccessDialogProps {
  readonly place: SharedPlace
  readonly onClose: () => void
}

/** Shows who has access to a resource. Owners can change it. */
export function AccessDialog({ place, onClose }: AccessDialogProps): ReactNode {
  const { kind, path, name } = place
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
              place={place}
              list={data}
              onInvite={(email, role) =>
                mutate(
                  () => changeAccess(path, { users: { [email]: role } }),
                  `${email}: ${roleNames[role]}.`,
                )
              }
            />
          )}
          <ShareLink page={place.page} />
          <AccessTable list={data} kind={kind} canChange={canChange} onChange={change} />
          {canChange && kind !== 'org' && (
            <SharingFields kind={kind} list={data} isBusy={isBusy} onChange={change} />
          )}
        </>
      )}
    </Dialog>
  )
}

interface SharingFieldsProps {
  readonly kind: AccessKind
  readonly list: AccessList
  readonly isBusy: boolean
  readonly onChange: (delta: AccessDelta, message: string) => void
}

const inheritOptions: readonly (readonly [string, string])[] = [
  ['owners', 'Keep their role'],
  ['editors', 'Can edit at most'],
  ['viewers', 'Can view at most'],
  ['', 'Have no access through it'],
]

/** Inherited and public access. */
function SharingFields({ kind, list, isBusy, onChange }: SharingFieldsProps): ReactNode {
  const isPublic = list.users.some(({ email, access }) => email === EVERYONE && access !== null)
  const share = () =>
    onChange(
      { users: { [EVERYONE]: isPublic ? null : 'viewers' } },
      isPublic ? 'Public access disabled.' : 'Anyone who is signed in can view with the link.',
    )
  return (
    <>
      <SelectField
        label={`People with a role on the ${parentKind(kind)}`}
        value={list.maxInheritedRole ?? ''}
        options={inheritOptions}
        // Disabled, it would lose the focus.
        aria-disabled={isBusy}
        onChange={({ target: { value } }) =>
          isBusy ||
          onChange(
            { maxInheritedRole: value === '' ? null : (value as Role) },
            'Inherited roles changed.',
          )
        }
      />
      <CheckField
        label="Anyone who is signed in can view with the link, and anyone by the API"
        checked={isPublic}
        aria-disabled={isBusy}
        onChange={() => isBusy || share()}
      />
    </>
  )
}
