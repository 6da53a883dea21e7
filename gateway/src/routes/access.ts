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
const seen = 'Owners see everybody, editors of a document who can open it, all others themselves.'
const changed =
  'Needs an owner; everybody may take away their own role. An unknown email becomes a user who can sign in later. ' +
  'The next request anywhere goes by what has been changed.'

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

/** Access lists of orgs, workspaces and documents: list, change. */
export const accessRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/orgs/{orgId}/access',
    id: 'listOrgAccess',
    tag,
    summary: 'List users with access to org',
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
    summary: 'Change who has access to org',
    description: `${changed} Who is taken out of an org loses everything in it.`,
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
    summary: 'List users with access to workspace',
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
    summary: 'Change who has access to workspace',
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
    summary: 'List users with access to document',
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
    summary: 'Change who has access to document',
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
