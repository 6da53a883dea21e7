import type { Role, Workspace } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { docPath } from '../api/paths'
import { orgQuery, workspacesQuery } from '../api/resources'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/overlays/dialog'
import { Page } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'

/** An item in the trash. */
interface Trashed {
  readonly path: string
  readonly name: string
  readonly kind: string
  readonly access: Role | null
  readonly removedAt: string
}

/** The removed workspaces and documents of a site, which can be restored. */
export function TrashPage(): ReactNode {
  const { orgId = '' } = useParams()
  const org = useQuery(orgQuery(orgId))
  const { data, error, refetch } = useQuery(workspacesQuery(orgId, true))
  const [deleted, setDeleted] = useState<Trashed>()
  const { mutate, mutateOrToast } = useApiMutation(['workspaces'])
  const trashed = data?.flatMap(listTrashed)
  return (
    <Page
      title="Trash"
      breadcrumb={
        <>
          <Link to="/">Home</Link>
          <span aria-hidden="true">/</span>
          <Link to={`/sites/${orgId}`}>{org.data?.name ?? 'Site'}</Link>
        </>
      }
    >
      <p className="note">Items are permanently deleted after 30 days.</p>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="the trash" />}
      {trashed && (
        <TrashList
          trashed={trashed}
          onRestore={(item) =>
            mutateOrToast(
              () => sheaf().request({ method: 'POST', path: `${item.path}/unremove` }),
              `“${item.name}” restored.`,
            )
          }
          onDelete={setDeleted}
        />
      )}
      {deleted && (
        <ConfirmDialog
          title={`Permanently delete “${deleted.name}”?`}
          confirm="Delete permanently"
          onClose={() => setDeleted(undefined)}
          onConfirm={() =>
            mutate(
              () => sheaf().request({ method: 'DELETE', path: deleted.path }),
              'Permanently deleted.',
            )
          }
        >
          <p>It is deleted for all users, with all of its contents. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

function listTrashed({ id, name, access, removedAt, docs }: Workspace): Trashed[] {
  if (removedAt !== undefined)
    return [{ path: `/api/workspaces/${id}`, name, kind: 'Workspace', access, removedAt }]
  return docs.flatMap((doc) =>
    doc.removedAt === undefined
      ? []
      : [
          {
            path: docPath(String(doc.id)),
            name: doc.name,
            kind: `Document in ${name}`,
            access: doc.access,
            removedAt: doc.removedAt,
          },
        ],
  )
}

interface TrashListProps {
  readonly trashed: readonly Trashed[]
  readonly onRestore: (item: Trashed) => void
  readonly onDelete: (item: Trashed) => void
}

function TrashList({ trashed, onRestore, onDelete }: TrashListProps): ReactNode {
  if (trashed.length === 0) return <Empty title="The trash is empty" />
  return (
    <ul className="section rows">
      {trashed.map((item) => (
        <TrashRow
          key={item.path}
          item={item}
          onRestore={() => onRestore(item)}
          onDelete={() => onDelete(item)}
        />
      ))}
    </ul>
  )
}

interface TrashRowProps {
  readonly item: Trashed
  readonly onRestore: () => void
  readonly onDelete: () => void
}

function TrashRow({ item, onRestore, onDelete }: TrashRowProps): ReactNode {
  return (
    <li>
      <div className="row-main">
        <strong>{item.name}</strong>
        <span className="note">
          {item.kind}, removed <Time at={item.removedAt} />
        </span>
      </div>
      {item.access === 'owners' && (
        <div className="actions">
          <Button aria-label={`Restore ${item.name}`} onClick={onRestore}>
            Restore
          </Button>
          <Button kind="danger" aria-label={`Permanently delete ${item.name}`} onClick={onDelete}>
            Delete permanently
          </Button>
        </div>
      )}
    </li>
  )
}
