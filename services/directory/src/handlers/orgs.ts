import { AppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  CreateOrgRequest,
  DeleteOrgRequest,
  GetOrgRequest,
  ListOrgsRequest,
  OrgRef,
  OrgsService,
  UpdateOrgRequest,
} from '@sheaf/protos/sheaf/directory/v1/orgs'
import { requireDomain } from '../access/domains'
import { readNewName, requireName } from '../access/names'
import { readPageToken, writePageToken } from '../access/page-token'
import { readOrgRef, readSite } from '../access/resolve'
import type { Context } from '../context'
import { findOrg, insertOrg, listOrgs, updateOrg, type OrgPlace, type OrgView } from '../db/orgs'
import { findPreferences, savePreferences } from '../db/preferences'
import { deleteRow } from '../db/trash'
import { accessDenied, isPublicUser, orgNotFound, requireSignedIn, requireUser } from './errors'
import {
  changesOnlyOwn,
  preferencesToWire,
  readPreferences,
  requireOwnPreferences,
} from './org-preferences'
import { orgToWire, shownOrgRole } from './wire'

/** Handlers of OrgsService. */
export const orgs = (ctx: Context): OrgsService => ({
  async listOrgs({ site, pageToken }: ListOrgsRequest, call: ServerCall) {
    const userId = requireUser(call)
    const after = readPlace(pageToken)
    if (!isPublicUser(userId)) {
      const found = await listOrgs(ctx.db, userId, { after, limit: MAX_PAGE })
      const last = found.length < MAX_PAGE ? undefined : found.at(-1)
      return { orgs: found.map(orgToWire), nextPageToken: last && writePlace(last, userId) }
    }
    // Listing all public orgs would expose strangers' sites; the addressed one is known to the caller.
    const addressed = site === '' ? undefined : await findOrg(ctx.db, userId, readSite(site))
    const isPublic = addressed !== undefined && (addressed.isOwn || addressed.isGuest)
    return { orgs: isPublic ? [orgToWire(addressed)] : [] }
  },

  async getOrg({ org: ref }: GetOrgRequest, call: ServerCall) {
    const userId = requireUser(call)
    const org = await getVisibleOrg(ctx, userId, ref)
    const found = await findPreferences(ctx.db, org.id, userId)
    return { org: orgToWire(org), preferences: preferencesToWire(found) }
  },

  async createOrg({ name, domain }: CreateOrgRequest, call: ServerCall) {
    const creatorId = requireSignedIn(call)
    if (name === '')
      throw new AppError('invalid', 'NAME_REQUIRED', 'Bad request: name required', {
        field: 'name',
      })
    const org = {
      name: requireName(name),
      domain: domain === '' ? null : requireDomain(domain),
      ownerId: null,
      creatorId,
    }
    return { id: await insertOrg(ctx.db, org) }
  },

  async updateOrg(request: UpdateOrgRequest, call: ServerCall) {
    const { org: ref, name, domain } = request
    const userId = requireUser(call)
    const org = await getVisibleOrg(ctx, userId, ref)
    const preferences = readPreferences(request.preferences)
    requireOwnPreferences(call, preferences)
    if (!changesOnlyOwn(request, preferences) && !roleAtLeast(org.role ?? undefined, 'owners'))
      throw accessDenied()
    const newName = readNewName(name)
    const newDomain = readNewDomain(org, domain)
    const change = {
      ...(newName !== undefined && { name: newName }),
      ...(newDomain !== undefined && { domain: newDomain }),
    }
    const save = async (trx: Parameters<typeof savePreferences>[0]) => {
      if (newName !== undefined || newDomain !== undefined) await updateOrg(trx, org.id, change)
      await savePreferences(trx, { orgId: org.id, userId }, preferences)
    }
    // Gateways cache which document an address names, which depends on the domain, and descriptions of documents.
    if (newName !== undefined || newDomain !== undefined) await ctx.changes.change(save)
    else await ctx.db.transaction().execute(save)
    return {}
  },

  async deleteOrg({ org: ref, name }: DeleteOrgRequest, call: ServerCall) {
    const userId = requireUser(call)
    const org = await getVisibleOrg(ctx, userId, ref)
    if (!roleAtLeast(org.role ?? undefined, 'owners')) throw accessDenied()
    if (org.ownerId !== null)
      throw new AppError(
        'invalid',
        'PERSONAL_ORG',
        'a personal site can only be deleted with its user',
      )
    if (name !== undefined && name !== org.name && name !== org.domain)
      throw new AppError('invalid', 'NAME_MISMATCH', 'Name does not match organization', {
        field: 'name',
      })
    await ctx.changes.change(async (trx) => {
      if (!(await deleteRow(trx, 'orgs', { id: org.id, userId }))) throw orgNotFound()
    })
    ctx.outbox.wake()
    return { id: org.id }
  },
})

/** An org takes at most 3 KB, so a page stays below the usual gRPC limit of 4 MiB for messages. */
const MAX_PAGE = 1_000

function writePlace({ ownerId, sortName, id }: OrgView, userId: number): string {
  return writePageToken([ownerId !== userId, sortName, id])
}

function readPlace(token: string | undefined): OrgPlace | undefined {
  const keys = readPageToken(token, ['boolean', 'string', 'number'])
  if (!keys) return undefined
  const [isOther, sortName, id] = keys
  return { isOther: Boolean(isOther), sortName: String(sortName), id: Number(id) }
}

/** Returns the org of a request. Throws `not_found`, or `forbidden` when the user cannot see it. */
export async function getVisibleOrg(
  ctx: Context,
  userId: number,
  ref: OrgRef | undefined,
): Promise<OrgView> {
  const site = readOrgRef(ref?.org ?? '', ref?.site ?? '')
  const org = await findOrg(ctx.db, userId, site)
  if (!org) throw orgNotFound()
  if (org.role === null && shownOrgRole(org) === undefined) throw accessDenied()
  return org
}

/** Returns the org, for callers who may add workspaces to it. Throws `not_found` or `forbidden`. */
export async function getEditableOrg(
  ctx: Context,
  userId: number,
  ref: OrgRef | undefined,
): Promise<OrgView> {
  const org = await getVisibleOrg(ctx, userId, ref)
  if (!roleAtLeast(org.role ?? undefined, 'editors')) throw accessDenied()
  return org
}

/** Returns the new domain, or undefined when it is absent, empty or unchanged. Throws `invalid`. */
function readNewDomain(org: OrgView, domain: string | undefined): string | undefined {
  if (domain === undefined || domain === '' || domain === org.domain) return undefined
  if (org.ownerId !== null)
    throw new AppError(
      'invalid',
      'PERSONAL_ORG_DOMAIN',
      'Cannot set a domain for a personal organization',
      { field: 'domain' },
    )
  return requireDomain(domain)
}
