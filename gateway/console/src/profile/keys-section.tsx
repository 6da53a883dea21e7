import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/overlays/dialog'
import { Section } from '../components/page'
import { PlainTable } from '../components/plain-table'
import { Empty, ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import {
  keyName,
  keysKey,
  keysQuery,
  revokeKey,
  type ApiKey,
  type KeyCaps,
  type KeyScope,
} from './api-keys'
import { NewKeyDialog } from './new-key-dialog'

/** The named keys of the user, with their access, expiry and last use. */
export function KeysSection(): ReactNode {
  const { data, error, refetch } = useQuery(keysQuery)
  const [isNew, setNew] = useState(false)
  const [revoked, setRevoked] = useState<ApiKey>()
  const { mutate } = useApiMutation(keysKey)
  const named = data?.filter(({ isDefault }) => !isDefault)
  return (
    <Section
      title="Named keys"
      description="Create a separate key for each program, with an expiry date and only the access it needs."
      actions={<Button onClick={() => setNew(true)}>New key</Button>}
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="your keys" />}
      {named?.length === 0 && <Empty title="No named keys yet" />}
      {named && named.length > 0 && <KeysTable keys={named} onRevoke={setRevoked} />}
      {isNew && <NewKeyDialog onClose={() => setNew(false)} />}
      {revoked && (
        <ConfirmDialog
          title={`Revoke “${keyName(revoked)}”?`}
          confirm="Revoke key"
          onClose={() => setRevoked(undefined)}
          onConfirm={() => mutate(() => revokeKey(revoked.id), 'Key revoked.')}
        >
          <p>Programs that use it lose access immediately. This cannot be undone.</p>
          <p>
            <Link to={`/profile/keys/${revoked.id}`}>What it has changed</Link> remains listed.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

interface KeysTableProps {
  readonly keys: readonly ApiKey[]
  readonly onRevoke: (key: ApiKey) => void
}

function KeysTable({ keys, onRevoke }: KeysTableProps): ReactNode {
  return (
    <PlainTable headers={['Name', 'Key', 'Access', 'Expires', 'Last used', '']}>
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row">{keyName(key)}</th>
          <td data-label="Key">
            <code>{key.prefix}…</code>
          </td>
          <td data-label="Access">{describeScope(key.scope)}</td>
          <td data-label="Expires">
            <Time at={key.expiresAt} none="never" />
          </td>
          <td data-label="Last used">
            <Time at={key.lastUsedAt} none="never" />
          </td>
          <td className="actions">
            <Link
              className="button"
              to={`/profile/keys/${key.id}`}
              aria-label={`Changes of ${keyName(key)}`}
            >
              Changes
            </Link>
            <Button
              kind="danger"
              aria-label={`Revoke ${keyName(key)}`}
              onClick={() => onRevoke(key)}
            >
              Revoke
            </Button>
          </td>
        </tr>
      ))}
    </PlainTable>
  )
}

const counted = (count: number, noun: string) =>
  count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`]

/** Describes the access of a key. */
function describeScope(scope: KeyScope | null): string {
  if (!scope) return 'Full access'
  const { readOnly, orgs, workspaces, docs, caps } = scope
  const parts = [
    ...counted(orgs.length, 'site'),
    ...counted(workspaces.length, 'workspace'),
    ...counted(docs.length, 'document'),
  ]
  const access = parts.join(', ') || 'All resources'
  const limits = [access, ...(readOnly ? ['read-only'] : []), ...(caps ? describeCaps(caps) : [])]
  return limits.join(', ')
}

function describeCaps({ rowsPerCall, rowsPerHour, tables, noStructure }: KeyCaps): string[] {
  return [
    ...(rowsPerCall ? [`${rowsPerCall} rows a call`] : []),
    ...(rowsPerHour ? [`${rowsPerHour} rows an hour`] : []),
    ...(tables ? [`writes to ${tables.join(', ')}`] : []),
    ...(noStructure ? ['no changes of structure'] : []),
  ]
}
