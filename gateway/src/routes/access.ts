import type { AccessResource } from '@sheaf/protos/sheaf/directory/v1/access'
import type { Exchange } from '../http/exchange'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  orgAccess,
  orgAccessChange,
  readDelta,
  readOrgDelta,
  resourceAccess,
  resourceAccessChange,
  toOrgAccess,
  toResourceAccess,
} from '../schemas/access'
import { nothing } from '../schemas/errors'
import { docParams, orgParams, workspaceParams } from '../schemas/parameters'

const tag = 'access'
const seen =
  'Owners see all users. Editors of a document see the users who can open it. All others see only themselves. Requires access.'
const changed =
  'Sets and removes roles, at most 1,000 users in one request. A new email address creates a user who can sign in later. ' +
  'Changes apply to the next request. Requires owner access, except that users can remove their own role.'

type Resource = NonNullable<AccessResource['resource']>
type Changes = ReturnType<typeof readDelta>

function listAccess(exchange: Exchange, resource: Resource) {
  const { context, site } = exchange
  return context.directory.access.listAccess({ resource: { resource, site } }, exchange.call())
}

async function updateAccess(
  exchange: Exchange,
  resource: Resource,
  changes: Changes,
): Promise<void> {
  const { context, site } = exchange
  const request = { resource: { resource, site }, ...changes }
  await context.directory.access.updateAccess(request, exchange.call())
  sendNull(exchange)
}

/** Access to orgs, workspaces and documents: list, change. */
export const accessRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/orgs/{orgId}/access',
    id: 'listOrgAccess',
    tag,
    summary: 'List users with access to an org',
    description: seen,
    access: 'caller',
    params: orgParams,
    success: { description: 'The users by id', schema: orgAccess },
    async handle(exchange, { params: { orgId } }) {
      sendJson(exchange, toOrgAccess(await listAccess(exchange, { $case: 'org', value: orgId })))
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/orgs/{orgId}/access',
    id: 'modifyOrgAccess',
    tag,
    summary: 'Change access to an org',
    description: `${changed} A user removed from an org loses all roles in it.`,
    access: 'caller',
    params: orgParams,
    body: orgAccessChange,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { params: { orgId }, body: { delta } }) {
      await updateAccess(exchange, { $case: 'org', value: orgId }, readOrgDelta(delta))
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/workspaces/{workspaceId}/access',
    id: 'listWorkspaceAccess',
    tag,
    summary: 'List users with access to a workspace',
    description: seen,
    access: 'caller',
    params: workspaceParams,
    success: { description: 'The users by id', schema: resourceAccess },
    async handle(exchange, { params: { workspaceId } }) {
      const found = await listAccess(exchange, { $case: 'workspaceId', value: workspaceId })
      sendJson(exchange, toResourceAccess(found))
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/workspaces/{workspaceId}/access',
    id: 'modifyWorkspaceAccess',
    tag,
    summary: 'Change access to a workspace',
    description: changed,
    access: 'caller',
    params: workspaceParams,
    body: resourceAccessChange,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { params: { workspaceId }, body: { delta } }) {
      const resource = { $case: 'workspaceId', value: workspaceId } as const
      await updateAccess(exchange, resource, readDelta(delta))
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/access',
    id: 'listDocAccess',
    tag,
    summary: 'List users with access to a document',
    description: seen,
    access: 'caller',
    params: docParams,
    success: { description: 'The users by id', schema: resourceAccess },
    async handle(exchange, { params: { docId } }) {
      const found = await listAccess(exchange, { $case: 'document', value: docId })
      sendJson(exchange, toResourceAccess(found))
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/docs/{docId}/access',
    id: 'modifyDocAccess',
    tag,
    summary: 'Change access to a document',
    description: changed,
    access: 'caller',
    params: docParams,
    body: resourceAccessChange,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { params: { docId }, body: { delta } }) {
      await updateAccess(exchange, { $case: 'document', value: docId }, readDelta(delta))
    },
  }),
]
