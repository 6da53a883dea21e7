import type { RoleName } from '@sheaf/auth/roles'
import { roleToWire } from '@sheaf/auth/roles'
import type { Org } from '@sheaf/protos/sheaf/directory/v1/orgs'
import type { DocumentSummary, Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { shownDomain } from '../access/domains'
import type { OrgView } from '../db/orgs'
import type { DocumentRow, WorkspaceView } from '../db/workspaces'

/** What a user's role on an org is called; undefined when they only reach it as everybody does, or not at all. */
export function shownOrgRole(org: OrgView): RoleName | undefined {
  if (org.isOwn && org.role !== null) return org.role
  return org.isGuest ? 'guests' : undefined
}

/** An org as it goes over the wire. */
export function orgToWire(org: OrgView): Org {
  return {
    id: org.id,
    name: org.name,
    domain: shownDomain(org),
    owner:
      org.ownerId === null
        ? undefined
        : { id: org.ownerId, name: org.ownerName ?? '', picture: org.ownerPicture ?? undefined },
    access: roleToWire(shownOrgRole(org)),
    createdAt: org.createdAt.toISOString(),
    updatedAt: org.updatedAt.toISOString(),
  }
}

/** A workspace as it goes over the wire, with the documents given. */
export function workspaceToWire(
  workspace: Omit<WorkspaceView, 'orgId' | 'sortName'>,
  orgDomain: string,
  docs: readonly DocumentRow[],
): Workspace {
  const role = workspace.role ?? workspace.listed ?? undefined
  return {
    id: workspace.id,
    name: workspace.name,
    access: roleToWire(role ?? (workspace.isGuest || docs.length > 0 ? 'guests' : undefined)),
    docs: docs.map(documentToWire),
    orgDomain,
    createdAt: workspace.createdAt.toISOString(),
    updatedAt: workspace.updatedAt.toISOString(),
    removedAt: workspace.removedAt?.toISOString(),
  }
}

/** A document as it stands in a listing. */
export function documentToWire(
  doc: Omit<DocumentRow, 'workspaceId' | 'listed'> & { listed?: DocumentRow['listed'] },
): DocumentSummary {
  return {
    id: doc.id,
    docId: doc.docId,
    name: doc.name,
    access: roleToWire(doc.role ?? doc.listed ?? undefined),
    isPinned: doc.isPinned,
    urlId: doc.urlId ?? undefined,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
    removedAt: doc.removedAt?.toISOString(),
  }
}
