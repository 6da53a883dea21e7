import { transact } from '@sheaf/kit/postgres/database'
import { AppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import { isUuid } from '../access/resolve'
import { newDocumentIds, requireUrlId } from '../access/url-ids'
import type { Context } from '../context'
import * as rows from '../db/documents'
import { findPlacement, type HomeRow } from '../db/homes'
import { holdOrgs } from '../db/role-changes'
import { findWorkspace, type WorkspaceView } from '../db/workspaces'
import * as refusals from './errors'
import { isRowId } from './workspaces'

/** 48 random bits collide rarely; twice in a row practically never. */
const URL_ID_ATTEMPTS = 3

/**
 * Returns the location of a new document. Throws `not_found`, `forbidden`, `invalid` when the workspace is in
 * the trash, or `unavailable` when no instance is live.
 */
export async function getPlacement(
  ctx: Context,
  userId: number,
  workspaceId: number,
): Promise<{ orgId: number; home: Pick<HomeRow, 'name' | 'address'> }> {
  const [{ orgId }, home] = await Promise.all([
    getEditableWorkspace(ctx, userId, workspaceId),
    findPlacement(ctx.db),
  ])
  if (!home)
    throw new AppError(
      'unavailable',
      'NO_HOME',
      'no document-data instance is available, retry later',
    )
  return { orgId, home }
}

/**
 * Returns a workspace that accepts documents. Throws `not_found`, `forbidden`, or `invalid` when it is in the
 * trash.
 */
export async function getEditableWorkspace(
  ctx: Context,
  userId: number,
  workspaceId: number,
): Promise<WorkspaceView> {
  const workspace = isRowId(workspaceId)
    ? await findWorkspace(ctx.db, userId, workspaceId)
    : undefined
  if (!workspace) throw refusals.workspaceNotFound()
  if (!roleAtLeast(workspace.role ?? undefined, 'editors')) throw refusals.accessDenied()
  if (workspace.removedAt !== null) throw refusals.workspaceInTrash()
  return workspace
}

/** Reserves a document with the requested url id, or one derived from its UUID, and returns the UUID. */
export async function reserveDocument(
  ctx: Context,
  wanted: string | undefined,
  doc: Omit<rows.NewDocument, 'docId' | 'urlId'>,
): Promise<string> {
  if (wanted !== undefined && wanted !== '') {
    const { docId } = newDocumentIds()
    const urlId = requireUrlId(wanted)
    await rows.releaseUrlId(ctx.db, doc.orgId, urlId)
    if (await insert(ctx, { ...doc, docId, urlId })) return docId
    throw rows.urlIdInUse()
  }
  for (let attempt = 0; attempt < URL_ID_ATTEMPTS; attempt++) {
    const ids = newDocumentIds()
    if (await insert(ctx, { ...doc, ...ids })) return ids.docId
  }
  throw new Error('no unused url id was found')
}

/**
 * Returns false when the url id is in use. Throws as `getPlacement` when the workspace has changed meanwhile.
 */
async function insert(ctx: Context, doc: rows.NewDocument): Promise<boolean> {
  const outcome = await transact(ctx.db, async (db) => {
    // Otherwise a user who is removed from the org concurrently would remain an owner in it.
    await holdOrgs(db, [doc.orgId])
    await getEditableWorkspace({ ...ctx, db }, doc.creatorId, doc.workspaceId)
    return rows.insertDocument(db, doc)
  })
  if (outcome === 'no_workspace') throw refusals.workspaceNotFound()
  return outcome === 'reserved'
}

/**
 * Publishes a reserved document. Throws `not_found` when it does not exist, or was not reserved by the given
 * user.
 */
export async function publishReserved(
  ctx: Context,
  docId: string,
  creatorId: number | undefined,
): Promise<void> {
  if (!isUuid(docId) || !(await rows.publishDocument(ctx.db, docId, creatorId)))
    throw refusals.documentNotFound()
}

/** Deletes an unpublished document. Throws as `publishReserved`. */
export async function discardReserved(
  ctx: Context,
  docId: string,
  creatorId: number | undefined,
): Promise<void> {
  if (!isUuid(docId) || !(await rows.discardDocument(ctx.db, docId, creatorId)))
    throw refusals.documentNotFound()
}
