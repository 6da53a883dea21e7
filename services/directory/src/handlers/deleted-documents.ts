import { AppError } from '@sheaf/kit/errors'
import { KEEPS, requireProtocol } from '@sheaf/auth/require-protocol'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  DeletedDocument as WireDocument,
  DocumentsService,
  ListDeletedDocumentsRequest,
  UndeleteDocumentRequest,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import { readPageToken, writePageToken } from '../access/page-token'
import { isUuid } from '../access/resolve'
import type { Context } from '../context'
import { findDeleted, listDeleted, type DeletedDocument } from '../db/deleted-documents'
import { homeOfDeleted } from '../db/homes'
import { findOrg } from '../db/orgs'
import type { Reservations } from './document-reservation'
import * as refusals from './errors'
import { getVisibleOrg } from './orgs'
import { reservedToWire } from './reserved-document'

const MAX_PAGE = 1_000

type Handlers = Pick<DocumentsService, 'listDeletedDocuments' | 'undeleteDocument'>

/** Handlers of DocumentsService for documents that were deleted permanently. */
export const deletedDocuments = (ctx: Context, reservations: Reservations): Handlers => ({
  async listDeletedDocuments(request: ListDeletedDocumentsRequest, call: ServerCall) {
    const { org, limit, pageToken } = request
    if (!(limit >= 1 && limit <= MAX_PAGE))
      throw new AppError('invalid', 'BAD_FIELD', `limit must be from 1 to ${MAX_PAGE}`, {
        field: 'limit',
      })
    const orgId = call.caller.system && !org ? undefined : await getOwnOrg(ctx, call, org)
    const after = readAfter(pageToken)
    const page = { orgId, after, limit, days: ctx.keptDays }
    const found = await listDeleted(ctx.db, page)
    const last = found.length < limit ? undefined : found.at(-1)
    return {
      documents: found.map(deletedToWire),
      nextPageToken: last && writePageToken([last.docId]),
    }
  },

  async undeleteDocument(request: UndeleteDocumentRequest, call: ServerCall) {
    const userId = call.caller.system ? undefined : refusals.requireUser(call)
    const found = await getDeleted(ctx, userId, request.docId)
    const { workspaceId, name } = request
    const asked = {
      workspaceId,
      name: name || found.name,
      home: homeOfDeleted({ ...found, protocol: KEEPS }),
      requireHome: (protocol: number) => requireProtocol(protocol, KEEPS),
    }
    const reserved = await reservations.reserveAgain(asked, userId)
    return reservedToWire(ctx, call, reserved)
  },
})

/** Returns the id of an org that the caller owns. Throws `not_found` or `forbidden`. */
async function getOwnOrg(
  ctx: Context,
  call: ServerCall,
  ref: ListDeletedDocumentsRequest['org'],
): Promise<number> {
  const { id, role } = await getVisibleOrg(ctx, refusals.requireUser(call), ref)
  if (!roleAtLeast(role ?? undefined, 'owners')) throw refusals.accessDenied()
  return id
}

/**
 * Returns a deleted document that the caller may have again: an owner of its org, if the document was not closed to them, or
 * the operator. Throws `not_found` or `forbidden`.
 */
async function getDeleted(
  ctx: Context,
  userId: number | undefined,
  docId: string,
): Promise<DeletedDocument> {
  const found = isUuid(docId) ? await findDeleted(ctx.db, docId, ctx.keptDays) : undefined
  if (!found) throw refusals.deletedNotFound()
  if (userId === undefined) return found
  const org = await findOrg(ctx.db, userId, { kind: 'number', id: found.orgId })
  if (!found.isInherited || !roleAtLeast(org?.role ?? undefined, 'owners'))
    throw refusals.accessDenied()
  return found
}

function readAfter(token: string | undefined): string | undefined {
  const after = readPageToken(token, ['string'])?.[0]
  if (after === undefined) return undefined
  if (isUuid(String(after))) return String(after)
  throw new AppError('invalid', 'INVALID_PAGE', 'page_token is invalid', { field: 'page_token' })
}

function deletedToWire(doc: DeletedDocument): WireDocument {
  return {
    docId: doc.docId,
    name: doc.name,
    orgId: doc.orgId,
    workspaceId: doc.workspaceId,
    workspaceName: doc.workspaceName,
    deletedAt: doc.deletedAt.toISOString(),
    keptUntil: doc.keptUntil.toISOString(),
    deletedBy: doc.deletedBy ?? undefined,
    deletedByName: doc.deletedByName ?? '',
    deletedByEmail: doc.deletedByEmail ?? '',
  }
}
