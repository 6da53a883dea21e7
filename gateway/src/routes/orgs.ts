import { AppError } from '@sheaf/kit/errors'
import type { OrgRef } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { z } from 'zod'
import { listOrgs } from '../documents/workspace-listing'
import type { Exchange } from '../http/exchange'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import {
  describedOrg,
  fromPreferences,
  newOrg,
  org,
  orgChange,
  toOrg,
  toPreferences,
} from '../schemas/orgs'
import { namedOrgParams, orgParams } from '../schemas/parameters'

const tag = 'orgs'

/** Returns the org of a path in the form of directory. */
export function toOrgRef({ site }: Exchange, { orgId }: z.output<typeof orgParams>): OrgRef {
  return { org: orgId, site }
}

/** Sites: list, describe, create, modify, delete. */
export const orgRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/orgs',
    id: 'listOrgs',
    tag,
    summary: 'List your orgs',
    description:
      'Returns the sites that the caller has access to: the personal site first, then team sites by name. Suitable for validating an API key.',
    access: 'caller',
    success: { description: 'The orgs', schema: z.array(org) },
    async handle(exchange) {
      sendJson(exchange, (await listOrgs(exchange)).map(toOrg))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/orgs',
    id: 'createOrg',
    tag,
    summary: 'Create a team site',
    description: 'The caller becomes its owner. Requires a signed-in user.',
    access: 'caller',
    body: newOrg,
    success: { description: 'Id of the new site', schema: z.int() },
    async handle(exchange, { body: { name, domain } }) {
      if (!name) throw new AppError('invalid', 'NAME_REQUIRED', 'Bad request: name required')
      const request = { name, domain: domain ?? '' }
      const { id } = await exchange.context.directory.orgs.createOrg(request, exchange.call())
      sendJson(exchange, id)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/orgs/{orgId}',
    id: 'describeOrg',
    tag,
    summary: 'Get an org',
    description:
      'Requires a role on the site or on something in it. Includes the preferences that were stored, unless the API key has a scope.',
    access: 'caller',
    params: orgParams,
    success: { description: 'The org', schema: describedOrg },
    async handle(exchange, { params }) {
      const request = { org: toOrgRef(exchange, params) }
      const found = await exchange.context.directory.orgs.getOrg(request, exchange.call())
      if (!found.org) throw new Error('directory answered without an org')
      const preferences = found.preferences && toPreferences(found.preferences)
      sendJson(exchange, { ...toOrg(found.org), ...preferences })
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/orgs/{orgId}',
    id: 'modifyOrg',
    tag,
    summary: 'Update an org',
    description:
      'Changes name, subdomain or preferences; omitted fields and an empty subdomain keep their value, and an object of preferences replaces the stored one. Requires owner access to the site; for `userPrefs` and `userOrgPrefs`, any role of a signed-in user.',
    access: 'caller',
    params: orgParams,
    body: orgChange,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { params, body }) {
      const { name, domain } = body
      const request = {
        org: toOrgRef(exchange, params),
        name: name ?? undefined,
        domain: domain ?? undefined,
        preferences: fromPreferences(body),
      }
      await exchange.context.directory.orgs.updateOrg(request, exchange.call())
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/orgs/{orgId}',
    id: 'deleteOrg',
    tag,
    summary: 'Delete a team site',
    description:
      'Deletes the site with its workspaces and documents. This cannot be undone. A personal site is deleted with its user only. Requires owner access to the site.',
    access: 'caller',
    params: orgParams,
    success: { description: 'Id of the org', schema: z.int() },
    async handle(exchange, { params }) {
      sendJson(exchange, await deleteOrg(exchange, params))
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/orgs/{orgId}/{name}',
    id: 'deleteNamedOrg',
    tag,
    summary: 'Delete a team site, confirmed by name',
    description:
      'Deletes the site as the operation without `name` does, if `name` matches. Requires owner access to the site.',
    access: 'caller',
    params: namedOrgParams,
    success: { description: 'Id of the org', schema: z.int() },
    async handle(exchange, { params }) {
      const name = params.name === 'force-delete' ? undefined : params.name
      sendJson(exchange, await deleteOrg(exchange, params, name))
    },
  }),
]

async function deleteOrg(
  exchange: Exchange,
  params: z.output<typeof orgParams>,
  name?: string,
): Promise<number> {
  const request = { org: toOrgRef(exchange, params), name }
  const { id } = await exchange.context.directory.orgs.deleteOrg(request, exchange.call())
  return id
}
