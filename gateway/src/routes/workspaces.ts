import type { Org } from '@sheaf/protos/sheaf/directory/v1/orgs'
import type { Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { z } from 'zod'
import { listWorkspaces } from '../documents/workspace-listing'
import type { Exchange } from '../http/exchange'
import { sendBytes, sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { orgParams, permanent, showRemoved, workspaceParams } from '../schemas/parameters'
import { listedWorkspace, toWorkspace, workspace, workspaceFieldsBody } from '../schemas/workspaces'
import { toOrgRef } from './orgs'

const tag = 'workspaces'

/** Workspaces: list, describe, create, update, move to the trash, restore, delete. */
export const workspaceRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/orgs/{orgId}/workspaces',
    id: 'listWorkspaces',
    tag,
    summary: 'List workspaces and documents of an org',
    description:
      'Returns the workspaces that the caller has access to, each with its accessible documents. Requires a role on the site or on something in it.',
    access: 'caller',
    params: orgParams,
    query: showRemoved,
    success: { description: 'Workspaces by name', schema: z.array(listedWorkspace) },
    async handle(exchange, { params, query }) {
      const org = toOrgRef(exchange, params)
      sendBytes(exchange, await listWorkspaces(exchange, { org, removed: query.showRemoved }))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/orgs/{orgId}/workspaces',
    id: 'createWorkspace',
    tag,
    summary: 'Create a workspace',
    description: 'Creates an empty workspace. Requires edit access to the site.',
    access: 'caller',
    params: orgParams,
    body: workspaceFieldsBody,
    success: { description: 'Id of the new workspace', schema: z.int() },
    async handle(exchange, { params, body: { name } }) {
      const request = { org: toOrgRef(exchange, params), name: name ?? '' }
      const { workspaces } = exchange.context.directory
      const { id } = await workspaces.createWorkspace(request, exchange.call())
      sendJson(exchange, id)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/workspaces/{workspaceId}',
    id: 'describeWorkspace',
    tag,
    summary: 'Get a workspace',
    description:
      'Returns the workspace with its site and the documents that the caller has access to. Requires view access to the workspace or to a document in it.',
    access: 'caller',
    params: workspaceParams,
    query: showRemoved,
    success: { description: 'The workspace and its documents', schema: workspace },
    async handle(exchange, { params: { workspaceId }, query }) {
      const found = await getWorkspace(exchange, { workspaceId, removed: query.showRemoved })
      sendJson(exchange, toWorkspace(found.workspace, found.org))
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/workspaces/{workspaceId}',
    id: 'modifyWorkspace',
    tag,
    summary: 'Rename a workspace',
    description: 'An omitted name keeps its value. Requires owner access to the workspace.',
    access: 'caller',
    params: workspaceParams,
    body: workspaceFieldsBody,
    success: { description: 'Id of the workspace', schema: z.int() },
    async handle(exchange, { params: { workspaceId }, body: { name } }) {
      const request = { workspaceId, name: name ?? undefined }
      await exchange.context.directory.workspaces.updateWorkspace(request, exchange.call())
      sendJson(exchange, workspaceId)
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/workspaces/{workspaceId}',
    id: 'deleteWorkspace',
    tag,
    summary: 'Delete a workspace',
    description:
      'Deletes the workspace with its documents. This cannot be undone. Requires owner access to the workspace.',
    access: 'caller',
    params: workspaceParams,
    success: { description: 'Id of the workspace', schema: z.int() },
    async handle(exchange, { params: { workspaceId } }) {
      const { workspaces } = exchange.context.directory
      await workspaces.deleteWorkspace({ workspaceId }, exchange.call())
      sendJson(exchange, workspaceId)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/workspaces/{workspaceId}/remove',
    id: 'removeWorkspace',
    tag,
    summary: 'Move a workspace to the trash',
    description:
      'Moves the workspace with its documents to the trash, or deletes it if `permanent` is set. The trash is emptied after 30 days by default. Requires owner access to the workspace.',
    access: 'caller',
    params: workspaceParams,
    query: permanent,
    success: {
      description: 'Id of the workspace if it was deleted, else null',
      schema: z.int().nullable(),
    },
    async handle(exchange, { params: { workspaceId }, query }) {
      const { workspaces } = exchange.context.directory
      if (query.permanent) await workspaces.deleteWorkspace({ workspaceId }, exchange.call())
      else await workspaces.removeWorkspace({ workspaceId }, exchange.call())
      sendJson(exchange, query.permanent ? workspaceId : null)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/workspaces/{workspaceId}/unremove',
    id: 'restoreWorkspace',
    tag,
    summary: 'Restore a workspace from the trash',
    description: 'Requires owner access to the workspace.',
    access: 'caller',
    params: workspaceParams,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { params: { workspaceId } }) {
      const { workspaces } = exchange.context.directory
      await workspaces.restoreWorkspace({ workspaceId }, exchange.call())
      sendNull(exchange)
    },
  }),
]

/** Reads a workspace with all pages of its documents. */
async function getWorkspace(
  exchange: Exchange,
  request: { workspaceId: number; removed: boolean },
): Promise<{ workspace: Workspace; org: Org }> {
  const { workspaces } = exchange.context.directory
  const first = await workspaces.getWorkspace(request, exchange.call())
  const { workspace: found, org } = first
  if (!found || !org) throw new Error('directory described a workspace in part')
  let pageToken = first.nextPageToken
  while (pageToken !== undefined) {
    const page = await workspaces.getWorkspace({ ...request, pageToken }, exchange.call())
    found.docs.push(...(page.workspace?.docs ?? []))
    pageToken = page.nextPageToken
  }
  return { workspace: found, org }
}
