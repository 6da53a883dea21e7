import { requireDocumentRole } from '@sheaf/auth/require-access'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  CreateDocumentRequest,
  DiscardDocumentRequest,
  DocumentsService,
  GetDocumentRequest,
  PublishDocumentRequest,
  UpdateDocumentRequest,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import { shownDomain } from '../access/domains'
import { readNewName } from '../access/names'
import { requireUrlId } from '../access/url-ids'
import type { Context } from '../context'
import * as rows from '../db/documents'
import type { OrgView } from '../db/orgs'
import {
  describeVisibleDocument,
  documentLifecycle,
  getVisibleDocument,
} from './document-lifecycle'
import { Reservations } from './document-reservation'
import * as refusals from './errors'
import { reservedToWire } from './reserved-document'
import { documentToWire, orgToWire, workspaceToWire } from './wire'

/** Handlers of DocumentsService, except those for preferences. */
export const documents = (
  ctx: Context,
  reservations = new Reservations(ctx),
): Omit<DocumentsService, 'getDocumentPreferences' | 'updateDocumentPreferences'> => ({
  async createDocument(request: CreateDocumentRequest, call: ServerCall) {
    const userId = refusals.requireUser(call)
    return reservedToWire(ctx, call, await reservations.reserve(request, userId))
  },

  async publishDocument({ docId }: PublishDocumentRequest, call: ServerCall) {
    await reservations.publish(docId, requireMaker(call, docId))
    return {}
  },

  async discardDocument({ docId }: DiscardDocumentRequest, call: ServerCall) {
    await reservations.discard(docId, requireMaker(call, docId))
    ctx.outbox.wake()
    return {}
  },

  async getDocument(request: GetDocumentRequest, call: ServerCall) {
    const userId = refusals.requireUser(call)
    const doc = await describeVisibleDocument(ctx, userId, request)
    const org = orgOf(doc)
    const workspace = {
      id: doc.workspaceId,
      name: doc.workspaceName,
      createdAt: doc.workspaceCreatedAt,
      updatedAt: doc.workspaceUpdatedAt,
      removedAt: doc.workspaceRemovedAt,
      role: doc.workspaceRole,
      listed: null,
      isGuest: doc.isWorkspaceGuest,
    }
    return {
      document: documentToWire({
        ...doc,
        createdAt: doc.createdAt.toISOString(),
        updatedAt: doc.updatedAt.toISOString(),
        removedAt: doc.removedAt?.toISOString() ?? null,
      }),
      workspace: workspaceToWire(workspace, shownDomain(org), []),
      org: orgToWire(org),
    }
  },

  async updateDocument(request: UpdateDocumentRequest, call: ServerCall) {
    const userId = refusals.requireUser(call)
    const doc = await getVisibleDocument(ctx, userId, { ...request, removed: true })
    if (!roleAtLeast(doc.role ?? undefined, 'owners')) throw refusals.accessDenied()
    const name = readNewName(request.name)
    const urlId = readNewUrlId(doc.urlId, request.urlId)
    const change = {
      ...(name !== undefined && { name }),
      ...(request.isPinned !== undefined && { is_pinned: request.isPinned }),
      ...(urlId !== undefined && { url_id: urlId }),
    }
    if (urlId !== undefined && urlId !== null) await rows.releaseUrlId(ctx.db, doc.orgId, urlId)
    // Gateways cache which document an address names, and descriptions of documents.
    if (Object.keys(change).length > 0)
      await ctx.changes.change((trx) => rows.updateDocument(trx, doc.id, { ...change, userId }))
    return { docId: doc.docId }
  },

  ...documentLifecycle(ctx, reservations),
})

function orgOf(doc: rows.DescribedDocument): Omit<OrgView, 'sortName'> {
  return {
    id: doc.orgId,
    name: doc.orgName,
    domain: doc.orgDomain,
    ownerId: doc.ownerId,
    ownerName: doc.orgOwnerName,
    ownerPicture: doc.orgOwnerPicture,
    createdAt: doc.orgCreatedAt,
    updatedAt: doc.orgUpdatedAt,
    role: doc.orgRole,
    isOwn: doc.isOrgOwn,
    isGuest: doc.isOrgGuest,
  }
}

/** Returns the new url id, null to clear it, undefined to leave it unchanged. Throws `invalid`. */
function readNewUrlId(
  current: string | null,
  wanted: string | undefined,
): string | null | undefined {
  if (wanted === undefined || wanted === (current ?? '')) return undefined
  return wanted === '' ? null : requireUrlId(wanted)
}

/**
 * Returns the user who must have reserved the document, or undefined for the operator and for a token of that document:
 * filling it may have taken longer than the reserving token lasts. Throws `forbidden` for another document's token,
 * `unauthenticated` without a user.
 */
function requireMaker(call: ServerCall, docId: string): number | undefined {
  if (call.caller.system) return undefined
  if (call.caller.docId === undefined) return refusals.requireSignedIn(call)
  requireDocumentRole(call, docId, 'owners')
  return undefined
}
