import { z } from 'zod'
import { sendJson } from '../reply'
import { defineRoute, type Route } from '../route'
import { orgParams, workspaceParams } from '../schemas/parameters'
import {
  listedWorkspace,
  toListedWorkspace,
  toWorkspace,
  workspace,
  workspaceFieldsBody,
} from '../schemas/workspaces'
import { toOrgRef } from './orgs'

const tag = 'workspaces'

/** Workspaces: list, describe, create, modify. */
export const workspaceRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/orgs/{orgId}/workspaces',
    id: 'listWorkspaces',
    tag,
    summary: 'List workspaces and documents within an org',
    access: 'caller',
    params: orgParams,
    success: { description: 'The workspaces by name', schema: z.array(listedWorkspace) },
    async handle(exchange, { params }) {
      const request = { org: toOrgRef(exchange, params) }
      const { workspaces } = exchange.context.directory
      const found = await workspaces.listWorkspaces(request, exchange.call())
      sendJson(exchange, found.workspaces.map(toListedWorkspace))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/orgs/{orgId}/workspaces',
    id: 'createWorkspace',
    tag,
    summary: 'Create an empty workspace',
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
    summary: 'Describe a workspace',
    access: 'caller',
    params: workspaceParams,
    success: { description: 'The workspace', schema: workspace },
    async handle(exchange, { params: { workspaceId } }) {
      const { workspaces } = exchange.context.directory
      const found = await workspaces.getWorkspace({ workspaceId }, exchange.call())
      if (!found.workspace || !found.org) throw new Error('directory described a workspace in part')
      sendJson(exchange, toWorkspace(found.workspace, found.org))
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/workspaces/{workspaceId}',
    id: 'modifyWorkspace',
    tag,
    summary: 'Modify a workspace',
    access: 'caller',
    params: workspaceParams,
    body: workspaceFieldsBody,
    success: { description: 'Id of the workspace', schema: z.int() },
    async handle(exchange, { params: { workspaceId }, body: { name } }) {
      const request = { workspaceId, name: name || undefined }
      await exchange.context.directory.workspaces.updateWorkspace(request, exchange.call())
      sendJson(exchange, workspaceId)
    },
  }),
]
