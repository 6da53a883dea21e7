import { AppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/kit/roles'
import { newDocumentIds, requireUrlId } from '../access/url-ids'
import type { Context } from '../context'
import * as rows from '../db/documents'
import { findRoomiestHome, type HomeRow } from '../db/homes'
import { findWorkspace } from '../db/workspaces'
import * as refusals from './refusals'
import { isRowId } from './workspaces'

/** 48 random bits clash once in a long while; twice in a row never. */
const URL_ID_ATTEMPTS = 3

/** Where a new document goes. Throws `not_found`, `forbidden`, or `unavailable` when no instance is live. */
export async function getPlace(
  ctx: Context,
  userId: number,
  workspaceId: number,
): Promise<{ orgId: number; home: Pick<HomeRow, 'name' | 'address'> }> {
  if (!isRowId(workspaceId)) throw refusals.workspaceNotFound()
  const [workspace, home] = await Promise.all([
    findWorkspace(ctx.db, userId, workspaceId),
    findRoomiestHome(ctx.db),
  ])
  if (!workspace) throw refusals.workspaceNotFound()
  if (!roleAtLeast(workspace.role ?? undefined, 'editors')) throw refusals.accessDenied()
  if (!home)
    throw new AppError('unavailable', 'NO_HOME', 'no place for new documents is up, try again')
  return { orgId: workspace.orgId, home }
}

/** Reserves a document with the url id wanted, or one made of its UUID, and returns the UUID. */
export async function reserveDocument(
  ctx: Context,
  wanted: string | undefined,
  doc: Omit<rows.NewDocument, 'docId' | 'urlId'>,
): Promise<string> {
  if (wanted !== undefined && wanted !== '') {
    const { docId } = newDocumentIds()
    const urlId = requireUrlId(wanted)
    await rows.releaseUrlId(ctx.db, doc.orgId, urlId)
    if (await rows.insertDocument(ctx.db, { ...doc, docId, urlId })) return docId
    throw rows.urlIdInUse()
  }
  for (let attempt = 0; attempt < URL_ID_ATTEMPTS; attempt++) {
    const ids = newDocumentIds()
    if (await rows.insertDocument(ctx.db, { ...doc, ...ids })) return ids.docId
  }
  throw new Error('no url id was free')
}
