import { AppError } from '@sheaf/kit/errors'
import { GroupedCalls } from '@sheaf/kit/grouped-calls'
import { transact } from '@sheaf/kit/postgres/database'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { CreateDocumentRequest } from '@sheaf/protos/sheaf/directory/v1/documents'
import { requireName } from '../access/names'
import { isUuid } from '../access/resolve'
import { newDocumentIds, requireUrlId } from '../access/url-ids'
import type { Context } from '../context'
import { releaseUrlId, urlIdInUse } from '../db/documents'
import * as rows from '../db/reservations'
import { holdOrgOf } from '../db/role-changes'
import { findWorkspace, type WorkspaceView } from '../db/workspaces'
import * as refusals from './errors'
import { isRowId } from './workspaces'

const DEFAULT_NAME = 'Untitled document'
/** 48 random bits collide rarely; twice in a row practically never. */
const URL_ID_ATTEMPTS = 3

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
  requireEditable(workspace && { ...workspace, isRemoved: workspace.removedAt !== null })
  return workspace as WorkspaceView
}

function requireEditable(
  workspace: { readonly role: WorkspaceView['role']; readonly isRemoved: boolean } | undefined,
): void {
  if (!workspace) throw refusals.workspaceNotFound()
  if (!roleAtLeast(workspace.role ?? undefined, 'editors')) throw refusals.accessDenied()
  if (workspace.isRemoved) throw refusals.workspaceInTrash()
}

/** A document that was reserved, and where its file is to be created. */
export interface ReservedDocument {
  readonly docId: string
  /** Name of the document-data instance. */
  readonly home: string
  readonly homeAddress: string
  readonly homeProtocol: number
}

/** A document to reserve for the contents of a deleted one. */
interface ReservedAgain {
  readonly workspaceId: number
  readonly name: string
  readonly home: rows.HomeSql
  /** Throws when the instance understands too little to make it. */
  readonly requireHome: (protocol: number) => void
}

/**
 * Reserves and publishes documents. Concurrent calls share a transaction: those that reserve in the same workspace, and
 * all those that publish.
 */
export class Reservations {
  private readonly inserts: GroupedCalls<number, rows.NewDocument, rows.Reservation>
  private readonly publications: GroupedCalls<'all', rows.ReservedDocument, rows.Publication>

  constructor(private readonly ctx: Context) {
    const { db } = ctx
    this.inserts = new GroupedCalls(async (workspaceId, docs) => {
      const insert = (trx: Trx, place: Place) => rows.insertDocuments(trx, place, docs)
      return (await this.insertInto(workspaceId, insert)) ?? docs.map(() => NO_PLACE)
    })
    this.publications = new GroupedCalls((_, docs) => rows.publishDocuments(db, docs))
  }

  /**
   * Reserves a document with the requested url id, or one derived from its UUID. Throws `not_found`, `forbidden`,
   * `invalid` for a bad name or url id and when the workspace is in the trash, or `unavailable` when no instance is live.
   */
  async reserve(request: CreateDocumentRequest, userId: number): Promise<ReservedDocument> {
    const { workspaceId, isPinned, urlId: wanted = '' } = request
    if (!isRowId(workspaceId)) throw refusals.workspaceNotFound()
    const name = await this.read(request, userId, () =>
      request.name === '' ? DEFAULT_NAME : requireName(request.name),
    )
    const doc = {
      name,
      isPinned,
      creatorId: userId,
      ownedByCreator: !refusals.isPublicUser(userId),
    }
    if (wanted !== '') {
      const urlId = await this.read(request, userId, () => requireUrlId(wanted))
      const { orgId } = await getEditableWorkspace(this.ctx, userId, workspaceId)
      await releaseUrlId(this.ctx.db, orgId, urlId)
      const reserved = await this.insert(workspaceId, { ...doc, ...newDocumentIds(), urlId })
      if (!reserved) throw urlIdInUse()
      return reserved
    }
    for (let attempt = 0; attempt < URL_ID_ATTEMPTS; attempt++) {
      const reserved = await this.insert(workspaceId, { ...doc, ...newDocumentIds() })
      if (reserved) return reserved
    }
    throw new Error('no unused url id was found')
  }

  /**
   * Reserves a document for the contents of a deleted one, on this home. Without a user it is for the operator, and has the owners
   * of its workspace only. Throws as `reserve`, and what `requireHome` throws.
   */
  async reserveAgain(
    { workspaceId, name, home, requireHome }: ReservedAgain,
    userId: number | undefined,
  ): Promise<ReservedDocument> {
    if (!isRowId(workspaceId)) throw refusals.workspaceNotFound()
    const doc = {
      name: requireName(name),
      isPinned: false,
      creatorId: userId ?? null,
      ownedByCreator: userId !== undefined && !refusals.isPublicUser(userId),
    }
    for (let attempt = 0; attempt < URL_ID_ATTEMPTS; attempt++) {
      const named = { ...doc, ...newDocumentIds() }
      const insert = async (trx: Trx, place: Place) => {
        const outcomes = await rows.insertDocuments(trx, place, [named], home)
        // In the transaction, which is then rolled back.
        for (const { isReserved, homeProtocol } of outcomes)
          if (isReserved) requireHome(homeProtocol ?? 0)
        return outcomes
      }
      const [outcome = NO_PLACE] = (await this.insertInto(workspaceId, insert)) ?? []
      const allowed = userId === undefined ? { ...outcome, role: 'owners' as const } : outcome
      const reserved = readOutcome(named.docId, allowed)
      if (reserved) return reserved
    }
    throw new Error('no unused url id was found')
  }

  /**
   * Publishes a reserved document. Throws `not_found` when it does not exist, or was not reserved by the given
   * user.
   */
  async publish(docId: string, creatorId: number | undefined): Promise<void> {
    if (!isUuid(docId)) throw refusals.documentNotFound()
    const reserved = { docId, creatorId }
    const { isPublished, sharesUrlId } = await this.publications.call('all', reserved)
    const done = isPublished ? { sharesUrlId } : await rows.publishDocument(this.ctx.db, reserved)
    if (!done) throw refusals.documentNotFound()
    // Gateways cache which document an address names.
    if (done.sharesUrlId) await this.ctx.changes.change(() => Promise.resolve())
  }

  /** Deletes an unpublished document. Throws as `publish`. */
  async discard(docId: string, creatorId: number | undefined): Promise<void> {
    if (!isUuid(docId) || !(await rows.discardDocument(this.ctx.db, docId, creatorId)))
      throw refusals.documentNotFound()
  }

  /** Reads a part of a request. Its error is only for those who may create documents in the workspace. */
  private async read<T>(request: CreateDocumentRequest, userId: number, read: () => T): Promise<T> {
    try {
      return read()
    } catch (error) {
      await getEditableWorkspace(this.ctx, userId, request.workspaceId)
      throw error
    }
  }

  /** Resolves to undefined when the url id is in use. Throws as `reserve`. */
  private async insert(
    workspaceId: number,
    doc: rows.NewDocument,
  ): Promise<ReservedDocument | undefined> {
    return readOutcome(doc.docId, await this.inserts.call(workspaceId, doc))
  }

  /** Runs an insertion in a transaction; undefined when there is no such workspace. */
  private insertInto(
    workspaceId: number,
    insert: (trx: Trx, place: Place) => Promise<rows.Reservation[]>,
  ): Promise<rows.Reservation[] | undefined> {
    return transact(this.ctx.db, async (trx) => {
      // Otherwise a user who is removed from the org concurrently would remain an owner in it.
      const orgId = await holdOrgOf(trx, workspaceId)
      return orgId === undefined ? undefined : insert(trx, { workspaceId, orgId })
    })
  }
}

type Trx = Parameters<typeof holdOrgOf>[0]

/** A workspace. */
interface Place {
  readonly workspaceId: number
  readonly orgId: number
}

/** Returns undefined when the url id is in use. Throws as `reserve`. */
function readOutcome(docId: string, outcome: rows.Reservation): ReservedDocument | undefined {
  const { hasPlace, home, homeAddress, homeProtocol, isReserved } = outcome
  requireEditable(hasPlace ? outcome : undefined)
  if (home === null || homeAddress === null)
    throw new AppError(
      'unavailable',
      'NO_HOME',
      'no document-data instance is available, retry later',
    )
  return isReserved ? { docId, home, homeAddress, homeProtocol: homeProtocol ?? 0 } : undefined
}

const NO_PLACE: rows.Reservation = {
  hasPlace: false,
  role: null,
  isRemoved: false,
  home: null,
  homeAddress: null,
  homeProtocol: null,
  isReserved: false,
}
