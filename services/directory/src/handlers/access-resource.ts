import { AppError } from '@sheaf/kit/errors'
import type { AccessResource } from '@sheaf/protos/sheaf/directory/v1/access'
import type { Level } from '../access/delta'
import type { ListedResource } from '../access/listing'
import type { RoleCap } from '../access/roles'
import type { Context } from '../context'
import { findCaps, type ResourceRows } from '../db/people'
import type { GrantedRole } from '../db/schema'
import { getVisibleDocument } from './document-lifecycle'
import { getVisibleOrg } from './orgs'
import { getVisibleWorkspace } from './workspaces'

/** An org, a workspace or a document that the caller may see. */
export interface Resource extends ListedResource, ResourceRows {
  readonly level: Level
  readonly id: number
  /** The caller's role; null for a guest. */
  readonly role: GrantedRole | null
  /** Cap on inherited roles; unused for an org. */
  readonly cap: RoleCap
  /** Owner, for a personal org; null for everything else. */
  readonly ownerId: number | null
}

/** Returns the level of the resource in a request. Throws `invalid` when the request names none. */
export function levelOf(wire: AccessResource | undefined): Level {
  switch (wire?.resource?.$case) {
    case 'org':
      return 'org'
    case 'workspaceId':
      return 'workspace'
    case 'document':
      return 'document'
    case undefined:
      throw new AppError(
        'invalid',
        'RESOURCE_REQUIRED',
        'resource must name an org, a workspace or a document',
        {
          field: 'resource',
        },
      )
  }
}

/** Returns the resource of a request. Throws `not_found`, or `forbidden` when the user cannot see it. */
export async function getResource(
  ctx: Context,
  userId: number,
  wire: AccessResource | undefined,
): Promise<Resource> {
  const level = levelOf(wire)
  const found = await findVisible(ctx, userId, wire)
  const rows: ResourceRows = { level, ...found.rows }
  const caps = await findCaps(ctx.db, rows)
  return {
    ...rows,
    ...caps,
    id: rows.documentId ?? rows.workspaceId ?? rows.orgId,
    role: found.role,
    cap: level === 'document' ? caps.documentCap : caps.workspaceCap,
    ownerId: found.ownerId,
  }
}

interface Visible {
  readonly rows: Omit<ResourceRows, 'level'>
  readonly role: GrantedRole | null
  readonly ownerId: number | null
}

async function findVisible(
  ctx: Context,
  userId: number,
  wire: AccessResource | undefined,
): Promise<Visible> {
  const { resource, site = '' } = wire ?? {}
  if (resource?.$case === 'workspaceId') {
    const { id, orgId, role } = await getVisibleWorkspace(ctx, userId, {
      workspaceId: resource.value,
    })
    return { rows: { orgId, workspaceId: id, documentId: null }, role, ownerId: null }
  }
  if (resource?.$case === 'document') {
    const address = { document: resource.value, site }
    const { id, orgId, workspaceId, role } = await getVisibleDocument(ctx, userId, address)
    return { rows: { orgId, workspaceId, documentId: id }, role, ownerId: null }
  }
  const org = resource?.value ?? ''
  const { id, role, ownerId } = await getVisibleOrg(ctx, userId, { org, site })
  return { rows: { orgId: id, workspaceId: null, documentId: null }, role, ownerId }
}
