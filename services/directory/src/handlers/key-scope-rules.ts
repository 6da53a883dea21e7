import type { ListAccessRequest } from '@sheaf/protos/sheaf/directory/v1/access'
import type { GetDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import type {
  GetOrgResponse,
  ListOrgsResponse,
  OrgRef,
} from '@sheaf/protos/sheaf/directory/v1/orgs'
import type {
  GetWorkspaceResponse,
  ListWorkspacesResponse,
} from '@sheaf/protos/sheaf/directory/v1/workspaces'
import type { Place } from '../access/key-scope'
import { chooseDocument, isUuid, readDocumentRef, readOrgRef, readSite } from '../access/resolve'
import type { Context } from '../context'
import { findDeleted } from '../db/deleted-documents'
import { findDocuments, findReserved } from '../db/documents'
import { findOrg } from '../db/orgs'
import { findWorkspace } from '../db/workspaces'
import type { ScopeReach } from './key-scope-reach'
import { deletedNotFound, documentNotFound, orgNotFound, workspaceNotFound } from './errors'
import { isRowId } from './workspaces'

/** How the scope of a key applies to one RPC. */
export interface Rule {
  /** True for RPCs that change something, which read-only keys may not call. */
  readonly isWrite: boolean
  /**
   * The places that a request concerns: all of them must be in the scope, or, for a read, contain a place in
   * the scope.
   */
  about?(find: Finder, request: unknown): Promise<readonly Place[]>
  /** Restricts a response to the scope; `places` are those that the request concerns. */
  cut?(reach: ScopeReach, answer: unknown, places: readonly Place[]): unknown
}

/** Looks up the places that requests name. Its methods throw `not_found`. */
export class Finder {
  constructor(
    private readonly ctx: Context,
    private readonly userId: number,
  ) {}

  async org(ref: OrgRef | undefined): Promise<Place> {
    const org = await findOrg(this.ctx.db, this.userId, readOrgRef(ref?.org ?? '', ref?.site ?? ''))
    if (!org) throw orgNotFound()
    return { orgId: org.id }
  }

  async workspace(workspaceId: number): Promise<Place> {
    const { ctx, userId } = this
    const found = isRowId(workspaceId) && (await findWorkspace(ctx.db, userId, workspaceId))
    if (!found) throw workspaceNotFound()
    return { orgId: found.orgId, workspaceId }
  }

  async document({ document, site }: { document: string; site: string }): Promise<Place> {
    const { ctx, userId } = this
    const address = { ref: readDocumentRef(document), site: readSite(site) }
    const found = chooseDocument(await findDocuments(ctx.db, userId, address), userId)
    if (!found) throw documentNotFound()
    const { orgId, workspaceId, docId } = found
    return { orgId, workspaceId, docId }
  }

  /** The org of a document that was deleted permanently. */
  async deleted(docId: string): Promise<Place> {
    const { db, keptDays } = this.ctx
    const found = isUuid(docId) && (await findDeleted(db, docId, keptDays))
    if (!found) throw deletedNotFound()
    return { orgId: found.orgId }
  }

  /** A document that may be unpublished. */
  async reserved(docId: string): Promise<Place> {
    const found = isUuid(docId) && (await findReserved(this.ctx.db, docId))
    if (!found) throw documentNotFound()
    return { ...found, docId }
  }
}

/** Looks up the place of a request that names an org, a workspace or a document. */
const resource = async (find: Finder, { resource: named }: ListAccessRequest) => {
  const { resource, site = '' } = named ?? {}
  switch (resource?.$case) {
    case 'org':
      return [await find.org({ org: resource.value, site })]
    case 'workspaceId':
      return [await find.workspace(resource.value)]
    case 'document':
      return [await find.document({ document: resource.value, site })]
    case undefined:
      return []
  }
}

type ByOrg = { org?: OrgRef | undefined }
type ByWorkspace = { workspaceId: number }
type ByDocument = { document: string; site: string }

const org = async (find: Finder, { org: ref }: ByOrg) => [await find.org(ref)]
const workspace = async (find: Finder, { workspaceId }: ByWorkspace) => [
  await find.workspace(workspaceId),
]
const reserved = async (find: Finder, { docId }: { docId: string }) => [await find.reserved(docId)]
const document = async (find: Finder, request: ByDocument) => [await find.document(request)]

const reads = (about?: Rule['about'], cut?: Rule['cut']): Rule => ({ isWrite: false, about, cut })
const writes = (about?: Rule['about']): Rule => ({ isWrite: true, about })

/**
 * All RPCs that a key with a scope may call; RPCs without an entry are denied to such keys. Keys, those of forms
 * included, the account itself, its preferences in documents and changes of access have no entry.
 */
export const scopeRules: Readonly<Record<string, Rule | undefined>> = {
  'AccessService/ListAccess': reads(resource),
  'OrgsService/ListOrgs': reads(undefined, cutOrgs),
  'OrgsService/GetOrg': reads(org, cutOrg),
  'OrgsService/UpdateOrg': writes(org),
  'OrgsService/DeleteOrg': writes(org),
  'WorkspacesService/ListWorkspaces': reads(org, cutWorkspaces),
  'WorkspacesService/GetWorkspace': reads(workspace, cutWorkspace),
  'WorkspacesService/CreateWorkspace': writes(org),
  'WorkspacesService/UpdateWorkspace': writes(workspace),
  'WorkspacesService/RemoveWorkspace': writes(workspace),
  'WorkspacesService/RestoreWorkspace': writes(workspace),
  'WorkspacesService/DeleteWorkspace': writes(workspace),
  'DocumentsService/GetDocument': reads(document, cutDocument),
  'DocumentsService/CreateDocument': writes(workspace),
  'DocumentsService/PublishDocument': writes(reserved),
  'DocumentsService/DiscardDocument': writes(reserved),
  'DocumentsService/UpdateDocument': writes(document),
  'DocumentsService/MoveDocument': writes(async (find, request: ByDocument & ByWorkspace) => [
    await find.document(request),
    await find.workspace(request.workspaceId),
  ]),
  'DocumentsService/PinDocument': writes(document),
  'DocumentsService/RemoveDocument': writes(document),
  'DocumentsService/RestoreDocument': writes(document),
  'DocumentsService/DeleteDocument': writes(document),
  'DocumentsService/ListDeletedDocuments': reads(org),
  'DocumentsService/UndeleteDocument': writes(
    async (find, { docId, workspaceId }: ByWorkspace & { docId: string }) => [
      await find.deleted(docId),
      await find.workspace(workspaceId),
    ],
  ),
  'ProfileService/GetProfile': reads(),
}

function cutOrgs(reach: ScopeReach, answer: ListOrgsResponse): ListOrgsResponse {
  const kept = answer.orgs.filter(({ id }) => reach.touches({ orgId: id }))
  return { ...answer, orgs: kept.map((found) => reach.org(found)) }
}

function cutOrg(reach: ScopeReach, answer: GetOrgResponse): GetOrgResponse {
  return { org: answer.org && reach.org(answer.org), preferences: undefined }
}

function cutWorkspaces(
  reach: ScopeReach,
  answer: ListWorkspacesResponse,
  [place]: readonly Place[],
): ListWorkspacesResponse {
  const orgId = place?.orgId ?? 0
  const kept = answer.workspaces.filter(({ id }) => reach.touches({ orgId, workspaceId: id }))
  return { ...answer, workspaces: kept.map((found) => reach.workspace(found, orgId)) }
}

function cutWorkspace(reach: ScopeReach, answer: GetWorkspaceResponse): GetWorkspaceResponse {
  const orgId = answer.org?.id ?? 0
  return {
    ...answer,
    workspace: answer.workspace && reach.workspace(answer.workspace, orgId),
    org: answer.org && reach.org(answer.org),
  }
}

function cutDocument(reach: ScopeReach, answer: GetDocumentResponse): GetDocumentResponse {
  const orgId = answer.org?.id ?? 0
  return {
    ...answer,
    document: answer.document && reach.document(answer.document),
    workspace: answer.workspace && reach.workspace(answer.workspace, orgId),
    org: answer.org && reach.org(answer.org),
  }
}
