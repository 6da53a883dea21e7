import { transact } from '@sheaf/kit/postgres/database'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  CreateWorkspaceRequest,
  DeleteWorkspaceRequest,
  GetWorkspaceRequest,
  ListWorkspacesRequest,
  RemoveWorkspaceRequest,
  RestoreWorkspaceRequest,
  UpdateWorkspaceRequest,
  WorkspacesService,
} from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { shownDomain } from '../access/domains'
import { readNewName, requireName } from '../access/names'
import type { Context } from '../context'
import { findOrg } from '../db/orgs'
import { holdOrgs } from '../db/role-changes'
import { deleteRow, setRemoved } from '../db/trash'
import {
  countOrgContents,
  findWorkspace,
  insertWorkspace,
  updateWorkspace,
  type WorkspaceView,
} from '../db/workspaces'
import { listOrgPage, listWorkspacePage } from './listing-pages'
import { getEditableOrg, getVisibleOrg } from './orgs'
import { accessDenied, isPublicUser, orgNotFound, requireUser, workspaceNotFound } from './errors'
import { orgToWire, workspaceToWire } from './wire'

const DEFAULT_NAME = 'New Workspace'

/** Handlers of WorkspacesService. */
export const workspaces = (ctx: Context): WorkspacesService => ({
  async listWorkspaces(
    { org: ref, removed, pageToken, knownState }: ListWorkspacesRequest,
    call: ServerCall,
  ) {
    const userId = requireUser(call)
    const org = await getVisibleOrg(ctx, userId, ref)
    const request = { orgId: org.id, orgDomain: shownDomain(org), removed, pageToken }
    if (pageToken !== undefined) return listOrgPage(ctx, userId, request)
    // Before the listing: what is added in between must make the state another one.
    const { documents, workspaces } = await countOrgContents(ctx.db, org.id)
    const state = `${org.id}.${workspaces}.${documents}`
    if (state === knownState) return { workspaces: [], notModified: true }
    return { ...(await listOrgPage(ctx, userId, request)), state }
  },

  async getWorkspace({ workspaceId, removed, pageToken }: GetWorkspaceRequest, call: ServerCall) {
    const userId = requireUser(call)
    const workspace = await getVisibleWorkspace(ctx, userId, { workspaceId, removed })
    const [org, { docs, nextPageToken }] = await Promise.all([
      findOrg(ctx.db, userId, { kind: 'number', id: workspace.orgId }),
      listWorkspacePage(ctx, userId, { workspaceId, removed, pageToken }),
    ])
    if (!org) throw orgNotFound()
    return {
      workspace: workspaceToWire(workspace, shownDomain(org), docs),
      org: orgToWire(org),
      nextPageToken,
    }
  },

  async createWorkspace({ org: ref, name }: CreateWorkspaceRequest, call: ServerCall) {
    const userId = requireUser(call)
    const { id: orgId } = await getEditableOrg(ctx, userId, ref)
    const workspace = {
      orgId,
      name: name === '' ? DEFAULT_NAME : requireName(name),
      ownerId: isPublicUser(userId) ? undefined : userId,
    }
    const id = await transact(ctx.db, async (db) => {
      // Otherwise a user who is removed from the org concurrently would remain an owner in it.
      await holdOrgs(db, [orgId])
      await getEditableOrg({ ...ctx, db }, userId, { org: String(orgId), site: '' })
      return insertWorkspace(db, workspace)
    })
    return { id }
  },

  async updateWorkspace({ workspaceId, name }: UpdateWorkspaceRequest, call: ServerCall) {
    const workspace = await getOwnWorkspace(ctx, call, workspaceId)
    const newName = readNewName(name)
    // Gateways cache descriptions of documents, which have the name of the workspace.
    if (newName !== undefined)
      await ctx.changes.change((trx) => updateWorkspace(trx, workspace.id, newName))
    return {}
  },

  async removeWorkspace({ workspaceId }: RemoveWorkspaceRequest, call: ServerCall) {
    const { id } = await getOwnWorkspace(ctx, call, workspaceId)
    await ctx.changes.change((trx) => setRemoved(trx, 'workspaces', id, true))
    return {}
  },

  async restoreWorkspace({ workspaceId }: RestoreWorkspaceRequest, call: ServerCall) {
    const { id } = await getOwnWorkspace(ctx, call, workspaceId)
    await ctx.changes.change((trx) => setRemoved(trx, 'workspaces', id, false))
    return {}
  },

  async deleteWorkspace({ workspaceId }: DeleteWorkspaceRequest, call: ServerCall) {
    const { id } = await getOwnWorkspace(ctx, call, workspaceId)
    await ctx.changes.change(async (trx) => {
      if (!(await deleteRow(trx, 'workspaces', { id, userId: requireUser(call) })))
        throw workspaceNotFound()
    })
    ctx.outbox.wake()
    return {}
  },
})

/** Returns the workspace. Throws `not_found`, or `forbidden` when the user cannot see it. */
export async function getVisibleWorkspace(
  ctx: Context,
  userId: number,
  { workspaceId, removed }: { workspaceId: number; removed?: boolean },
): Promise<WorkspaceView> {
  const workspace = isRowId(workspaceId)
    ? await findWorkspace(ctx.db, userId, workspaceId)
    : undefined
  if (!workspace) throw workspaceNotFound()
  if (workspace.role === null && !workspace.isGuest) throw accessDenied()
  if (workspace.removedAt !== null && removed !== true) throw workspaceNotFound()
  return workspace
}

/** Returns the workspace, in the trash or not, for its owners only. Throws `not_found` or `forbidden`. */
async function getOwnWorkspace(
  ctx: Context,
  call: ServerCall,
  workspaceId: number,
): Promise<WorkspaceView> {
  const place = { workspaceId, removed: true }
  const workspace = await getVisibleWorkspace(ctx, requireUser(call), place)
  if (!roleAtLeast(workspace.role ?? undefined, 'owners')) throw accessDenied()
  return workspace
}

/** True for numbers within PostgreSQL's integer range of ids. */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id < 2 ** 31
}
