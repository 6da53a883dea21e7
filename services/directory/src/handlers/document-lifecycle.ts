import { documentRoleError } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  DeleteDocumentRequest,
  DocumentsService,
  MoveDocumentRequest,
  PinDocumentRequest,
  RemoveDocumentRequest,
  RestoreDocumentRequest,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import { chooseDocument, readDocumentRef, readSite } from '../access/resolve'
import type { Context } from '../context'
import * as rows from '../db/documents'
import { holdOrgs, putRoles } from '../db/role-changes'
import { deleteRow, setRemoved } from '../db/trash'
import { deletedDocuments } from './deleted-documents'
import { getEditableWorkspace, type Reservations } from './document-reservation'
import * as refusals from './errors'

type Lifecycle = Pick<
  DocumentsService,
  | 'moveDocument'
  | 'pinDocument'
  | 'removeDocument'
  | 'restoreDocument'
  | 'deleteDocument'
  | 'listDeletedDocuments'
  | 'undeleteDocument'
>

/** Handlers of DocumentsService that move, delete and restore documents. */
export const documentLifecycle = (ctx: Context, reservations: Reservations): Lifecycle => ({
  ...deletedDocuments(ctx, reservations),

  async moveDocument(request: MoveDocumentRequest, call: ServerCall) {
    const userId = refusals.requireUser(call)
    const { docId, ...from } = await getOwnDocument(ctx, userId, request)
    const target = await getEditableWorkspace(ctx, userId, request.workspaceId)
    if (target.id === from.workspaceId)
      throw new AppError(
        'invalid',
        'SAME_WORKSPACE',
        'Bad request: doc is already in destination workspace',
        { field: 'workspace' },
      )
    const actor = { userId, email: call.caller.email, requestId: call.requestId }
    await ctx.changes.change(async (db) => {
      await holdOrgs(db, [from.orgId, target.orgId])
      const inside = { ...ctx, db }
      const { id } = await getOwnDocument(inside, userId, { document: docId, site: '' })
      await getEditableWorkspace(inside, userId, target.id)
      if (!(await rows.moveDocument(db, id, { workspaceId: target.id, userId })))
        throw refusals.workspaceNotFound()
      // An inherited owner must not lose ownership by the move: there may be no other owner.
      const { role } = await findDocument(inside, userId, { document: docId, site: '' })
      if (roleAtLeast(role ?? undefined, 'owners') || refusals.isPublicUser(userId)) return
      const moved = { level: 'document', id, orgId: target.orgId } as const
      await putRoles(db, actor, moved, new Map([[userId, 'owners']]))
    })
    return { docId }
  },

  async pinDocument(request: PinDocumentRequest, call: ServerCall) {
    const userId = refusals.requireUser(call)
    const doc = await getVisibleDocument(ctx, userId, request)
    if (!roleAtLeast(doc.orgRole ?? undefined, 'editors')) throw refusals.accessDenied()
    const pin = { is_pinned: request.isPinned, userId }
    await ctx.changes.change((trx) => rows.updateDocument(trx, doc.id, pin))
    return { docId: doc.docId }
  },

  async removeDocument(request: RemoveDocumentRequest, call: ServerCall) {
    const doc = await getDeletableDocument(ctx, refusals.requireUser(call), request)
    await ctx.changes.change((trx) => setRemoved(trx, 'documents', doc.id, true))
    return { docId: doc.docId }
  },

  async restoreDocument(request: RestoreDocumentRequest, call: ServerCall) {
    const anywhere = { ...request, removed: true }
    const doc = await getOwnDocument(ctx, refusals.requireUser(call), anywhere)
    await ctx.changes.change((trx) => setRemoved(trx, 'documents', doc.id, false))
    return { docId: doc.docId }
  },

  async deleteDocument(request: DeleteDocumentRequest, call: ServerCall) {
    const userId = refusals.requireUser(call)
    const doc = await getDeletableDocument(ctx, userId, request)
    await ctx.changes.change(async (trx) => {
      if (!(await deleteRow(trx, 'documents', { id: doc.id, userId })))
        throw refusals.documentNotFound()
    })
    ctx.outbox.wake()
    return { docId: doc.docId }
  },
})

/** How a request names a document, and whether it may be in the trash. */
interface NamedDocument {
  readonly document: string
  readonly site: string
  readonly removed?: boolean
}

const readAddress = ({ document, site }: NamedDocument): rows.DocumentAddress => ({
  ref: readDocumentRef(document),
  site: readSite(site),
})

async function findDocument(
  ctx: Context,
  userId: number,
  address: NamedDocument,
): Promise<rows.DocumentView> {
  const found = await rows.findDocuments(ctx.db, userId, readAddress(address))
  return chooseFound(found, userId)
}

function chooseFound<T extends rows.DocumentView>(found: readonly T[], userId: number): T {
  const doc = chooseDocument(found, userId)
  if (!doc) throw refusals.documentNotFound()
  return doc
}

/**
 * Returns the document of a request. Throws `not_found`, `forbidden`, or `invalid` when the address is
 * ambiguous.
 */
export async function getVisibleDocument(
  ctx: Context,
  userId: number,
  address: NamedDocument,
): Promise<rows.DocumentView> {
  return requireVisible(await findDocument(ctx, userId, address), address)
}

/** As `getVisibleDocument`, with its org. */
export async function describeVisibleDocument(
  ctx: Context,
  userId: number,
  address: NamedDocument,
): Promise<rows.DescribedDocument> {
  const found = await rows.describeDocuments(ctx.db, userId, readAddress(address))
  return requireVisible(chooseFound(found, userId), address)
}

function requireVisible<T extends rows.DocumentView>(doc: T, { removed }: NamedDocument): T {
  if (doc.role === null) throw refusals.accessDenied()
  if (doc.isRemoved && removed !== true) throw refusals.documentNotFound()
  return doc
}

/** As `getVisibleDocument`, for its owners only. */
async function getOwnDocument(
  ctx: Context,
  userId: number,
  address: NamedDocument,
): Promise<rows.DocumentView> {
  const doc = await getVisibleDocument(ctx, userId, address)
  if (!roleAtLeast(doc.role ?? undefined, 'owners')) throw refusals.accessDenied()
  return doc
}

/**
 * Returns a document, in the trash or not, that its owner deletes; the error for other callers depends on
 * their access.
 */
async function getDeletableDocument(
  ctx: Context,
  userId: number,
  address: NamedDocument,
): Promise<rows.DocumentView> {
  const doc = await findDocument(ctx, userId, address)
  const role = doc.role ?? undefined
  if (!roleAtLeast(role, 'viewers')) throw documentRoleError('viewers')
  if (!roleAtLeast(role, 'editors')) throw documentRoleError('editors')
  if (!roleAtLeast(role, 'owners')) throw refusals.accessDenied()
  return doc
}
