import type { Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { readPageToken, writePageToken } from '../access/page-token'
import type { Context } from '../context'
import {
  listOrgDocuments,
  listWorkspaceDocuments,
  listWorkspaces,
  type DocumentRow,
  type Place,
  type WorkspaceView,
} from '../db/workspaces'
import { workspaceToWire } from './wire'

/** Approximate size of a page, below the usual gRPC limit of 4 MiB for messages. */
const PAGE_BYTES = 3 * 1024 * 1024
/** Size of an entry without its name. */
const ENTRY_BYTES = 300
const MAX_PAGE_ROWS = 10_000
const GREATEST_ID = 2 ** 31 - 1

/** Measures the size of a page. It accepts at least one entry, so that every page makes progress. */
class Page {
  private bytes = 0

  get isFull(): boolean {
    return this.bytes >= PAGE_BYTES
  }

  /** A UTF-16 code unit takes at most three bytes of UTF-8. */
  add({ name }: { readonly name: string }): void {
    this.bytes += ENTRY_BYTES + name.length * 3
  }
}

/** Parameters of a page of an org's workspaces. */
interface OrgPageRequest {
  readonly orgId: number
  readonly orgDomain: string
  readonly removed?: boolean
  readonly pageToken?: string
}

/** Returns one page of the workspaces of an org that the user can see, by name, each with its documents. */
export async function listOrgPage(
  ctx: Context,
  userId: number,
  request: OrgPageRequest,
): Promise<{ workspaces: Workspace[]; nextPageToken?: string }> {
  const { orgId, orgDomain, removed = false } = request
  const after = readPlace(request.pageToken)
  const documents = { shown: removed ? 'removed' : 'live', after, limit: MAX_PAGE_ROWS } as const
  const [rows, docs] = await Promise.all([
    listWorkspaces(ctx.db, userId, orgId, after),
    listOrgDocuments(ctx.db, userId, orgId, documents),
  ])
  const groups = groupByWorkspace(docs)
  const cutIn = findCut(docs)
  const page = new Page()
  const workspaces: Workspace[] = []
  for (const row of rows) {
    // A workspace that began on an earlier page is repeated only with further documents.
    const before = positionIn(row, after)
    const found = groups.get(row.id) ?? []
    const { taken, lastId } = takeDocuments(page, found, before)
    const listed = taken.filter((doc) => doc.listed !== null)
    if (listed.length > 0 || (before === 0 && isListed(row, removed))) {
      page.add(row)
      workspaces.push(workspaceToWire(row, orgDomain, listed))
    }
    const isWhole = taken.length === found.length && row.id !== cutIn
    if (isWhole && !page.isFull) continue
    return { workspaces, nextPageToken: writePlace(row, isWhole ? GREATEST_ID : lastId) }
  }
  return { workspaces }
}

/** Returns the workspace whose documents may be incomplete. */
function findCut(docs: readonly DocumentRow[]): number | undefined {
  return docs.length < MAX_PAGE_ROWS ? undefined : docs.at(-1)?.workspaceId
}

/**
 * Returns the document after which a page continues within a workspace; 0 when it begins with the workspace
 * itself.
 */
function positionIn({ id }: WorkspaceView, after: Place | undefined): number {
  return after?.workspaceId === id ? after.documentId : 0
}

/** True for a workspace that is listed even without documents. */
function isListed({ listed, removedAt }: WorkspaceView, removed: boolean): boolean {
  return listed !== null && (removedAt !== null) === removed
}

/** Returns one page of the documents of a workspace that the user can see. */
export async function listWorkspacePage(
  ctx: Context,
  userId: number,
  request: { workspaceId: number; removed?: boolean; pageToken?: string },
): Promise<{ docs: DocumentRow[]; nextPageToken?: string }> {
  const [afterId = 0] = readPageToken(request.pageToken, ['number']) ?? []
  const found = await listWorkspaceDocuments(ctx.db, userId, request.workspaceId, {
    shown: request.removed ? 'removed' : 'live',
    afterId: Number(afterId),
    limit: MAX_PAGE_ROWS,
  })
  const { taken, lastId } = takeDocuments(new Page(), found, Number(afterId))
  const isWhole = taken.length === found.length && found.length < MAX_PAGE_ROWS
  return { docs: taken, nextPageToken: isWhole ? undefined : writePageToken([lastId]) }
}

function takeDocuments(page: Page, docs: readonly DocumentRow[], before: number) {
  const taken: DocumentRow[] = []
  for (const doc of docs) {
    if (page.isFull) break
    page.add(doc)
    taken.push(doc)
  }
  return { taken, lastId: taken.at(-1)?.id ?? before }
}

function groupByWorkspace(docs: readonly DocumentRow[]): ReadonlyMap<number, DocumentRow[]> {
  const groups = new Map<number, DocumentRow[]>()
  for (const doc of docs) {
    const group = groups.get(doc.workspaceId)
    if (group) group.push(doc)
    else groups.set(doc.workspaceId, [doc])
  }
  return groups
}

function writePlace({ sortName, id }: WorkspaceView, documentId: number): string {
  return writePageToken([sortName, id, documentId])
}

function readPlace(token: string | undefined): Place | undefined {
  const keys = readPageToken(token, ['string', 'number', 'number'])
  if (!keys) return undefined
  const [sortName, workspaceId, documentId] = keys
  return {
    sortName: String(sortName),
    workspaceId: Number(workspaceId),
    documentId: Number(documentId),
  }
}
