import type { RoleName } from '@sheaf/auth/roles'
import { roleToWire } from '@sheaf/auth/roles'
import type { Org } from '@sheaf/protos/sheaf/directory/v1/orgs'
import type { DocumentSummary, Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { shownDomain } from '../access/domains'
import type { OrgView } from '../db/orgs'
import type { DocumentRow, WorkspaceView } from '../db/workspaces'

/** Returns a user's displayed role on an org; undefined when they have only public access, or none. */
export function shownOrgRole(org: Omit<OrgView, 'sortName'>): RoleName | undefined {
  if (org.isOwn && org.role !== null) return org.role
  return org.isGuest ? 'guests' : undefined
}

/** Converts an org to its message. */
export function orgToWire(org: Omit<OrgView, 'sortName'>): Org {
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

/** Converts a workspace to its message, with the given documents. */
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

/** Converts a document of a listing to its message. */
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
    createdAt: doc.createdAt,
    updatedAt: doc.updatedAt,
    updatedBy: doc.updatedBy ?? undefined,
    removedAt: doc.removedAt ?? undefined,
  }
}
