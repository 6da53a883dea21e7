import { roleAtLeast } from '@sheaf/kit/roles'
import type { ServerCall } from '@sheaf/kit/server-call'
import type {
  CreateWorkspaceRequest,
  GetWorkspaceRequest,
  ListWorkspacesRequest,
  UpdateWorkspaceRequest,
  WorkspacesService,
} from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { shownDomain } from '../access/domains'
import { readNewName, requireName } from '../access/names'
import type { Context } from '../context'
import { findOrg } from '../db/orgs'
import {
  findWorkspace,
  insertWorkspace,
  listOrgDocuments,
  listWorkspaceDocuments,
  listWorkspaces,
  updateWorkspace,
  type DocumentRow,
  type WorkspaceView,
} from '../db/workspaces'
import { getVisibleOrg } from './orgs'
import { accessDenied, isPublicUser, orgNotFound, requireUser, workspaceNotFound } from './refusals'
import { orgToWire, workspaceToWire } from './wire'

const DEFAULT_NAME = 'New Workspace'

/** Handlers of WorkspacesService. */
export const workspaces = (ctx: Context): WorkspacesService => ({
  async listWorkspaces({ org: ref }: ListWorkspacesRequest, call: ServerCall) {
    const userId = requireUser(call)
    const org = await getVisibleOrg(ctx, userId, ref)
    const [rows, docs] = await Promise.all([
      listWorkspaces(ctx.db, userId, org.id),
      listOrgDocuments(ctx.db, userId, org.id),
    ])
    const listedDocs = groupByWorkspace(docs.filter(({ listed }) => listed !== null))
    const domain = shownDomain(org)
    return {
      workspaces: rows
        .filter(({ id, listed }) => listed !== null || listedDocs.has(id))
        .map((workspace) => workspaceToWire(workspace, domain, listedDocs.get(workspace.id) ?? [])),
    }
  },

  async getWorkspace({ workspaceId }: GetWorkspaceRequest, call: ServerCall) {
    const userId = requireUser(call)
    const workspace = await getVisibleWorkspace(ctx, userId, workspaceId)
    const [org, docs] = await Promise.all([
      findOrg(ctx.db, userId, { kind: 'number', id: workspace.orgId }),
      listWorkspaceDocuments(ctx.db, userId, workspace.id),
    ])
    if (!org) throw orgNotFound()
    return { workspace: workspaceToWire(workspace, shownDomain(org), docs), org: orgToWire(org) }
  },

  async createWorkspace({ org: ref, name }: CreateWorkspaceRequest, call: ServerCall) {
    const userId = requireUser(call)
    const org = await getVisibleOrg(ctx, userId, ref)
    if (!roleAtLeast(org.role ?? undefined, 'editors')) throw accessDenied()
    const id = await insertWorkspace(ctx.db, {
      orgId: org.id,
      name: name === '' ? DEFAULT_NAME : requireName(name),
      ownerId: isPublicUser(userId) ? undefined : userId,
    })
    return { id }
  },

  async updateWorkspace({ workspaceId, name }: UpdateWorkspaceRequest, call: ServerCall) {
    const workspace = await getVisibleWorkspace(ctx, requireUser(call), workspaceId)
    if (!roleAtLeast(workspace.role ?? undefined, 'owners')) throw accessDenied()
    const newName = readNewName(name)
    if (newName !== undefined) await updateWorkspace(ctx.db, workspace.id, newName)
    return {}
  },
})

function groupByWorkspace(docs: readonly DocumentRow[]): ReadonlyMap<number, DocumentRow[]> {
  const groups = new Map<number, DocumentRow[]>()
  for (const doc of docs) {
    const group = groups.get(doc.workspaceId)
    if (group) group.push(doc)
    else groups.set(doc.workspaceId, [doc])
  }
  return groups
}

/** The workspace. Throws `not_found`, or `forbidden` when the user cannot see it. */
export async function getVisibleWorkspace(
  ctx: Context,
  userId: number,
  workspaceId: number,
): Promise<WorkspaceView> {
  const workspace = isRowId(workspaceId)
    ? await findWorkspace(ctx.db, userId, workspaceId)
    : undefined
  if (!workspace) throw workspaceNotFound()
  if (workspace.role === null && !workspace.isGuest) throw accessDenied()
  return workspace
}

/** True for numbers that an integer id in PostgreSQL can be. */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id < 2 ** 31
}
