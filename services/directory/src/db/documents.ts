import { brokenUniqueConstraint } from '@sheaf/kit/postgres/database'
import { AppError } from '@sheaf/kit/errors'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DocumentRef, SiteRef } from '../access/resolve'
import {
  documentRole,
  isOrgGuest,
  isWorkspaceGuest,
  joinDocumentGrants,
  workspaceRole,
} from './grants'
import { siteCondition } from './orgs'
import type { DirectorySchema, GrantedRole } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** How long a reservation holds its url id: longer than the token that could still publish it. */
const RESERVATION_SECONDS = 60

/** A document with its workspace, as one user sees them. */
export interface DocumentView {
  readonly id: number
  readonly docId: string
  readonly name: string
  readonly isPinned: boolean
  readonly urlId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Name of the user who changed it last; null unless the caller may read its history. */
  readonly updatedBy: string | null
  /** When the document itself was moved to the trash; null otherwise. */
  readonly removedAt: Date | null
  /** True when the document or its workspace is in the trash. */
  readonly isRemoved: boolean
  readonly role: GrantedRole | null
  readonly orgId: number
  /** Owner of the personal org that contains it; null in a team. */
  readonly ownerId: number | null
  readonly workspaceId: number
  readonly workspaceName: string
  readonly workspaceCreatedAt: Date
  readonly workspaceUpdatedAt: Date
  readonly workspaceRemovedAt: Date | null
  readonly workspaceRole: GrantedRole | null
  readonly isWorkspaceGuest: boolean
  /** The user's role on the org. */
  readonly orgRole: GrantedRole | null
}

/** SQL: document `d` or its workspace `w` is in the trash. */
export const isRemoved: RawBuilder<boolean> = sql`(d.removed_at is not null or w.removed_at is not null)`

/** SQL: the role allows to read the history of a document, and so to know who changed it. */
export const readsHistory = (role: RawBuilder<GrantedRole | null>): RawBuilder<boolean> =>
  sql`${role} >= 'editors'`

/** SQL: document `d` in org `o` matches the address. */
export function addressCondition(
  ref: DocumentRef | undefined,
  site: SiteRef | undefined,
  user: RawBuilder<number>,
): RawBuilder<unknown> {
  if (ref === undefined) return sql`false`
  return sql`d.published_at is not null and ${refCondition(ref)} and ${documentSite(ref, site, user)}`
}

function refCondition(ref: DocumentRef): RawBuilder<unknown> {
  switch (ref.kind) {
    case 'uuid':
      return sql`d.doc_id = ${ref.docId}`
    case 'number':
      return sql`d.id = ${ref.id}`
    case 'url':
      return sql`d.url_id = ${ref.urlId}`
  }
}

/**
 * A team's address reaches its own documents only; the personal one reaches any document by id, but only its
 * own by url id.
 */
function documentSite(
  ref: DocumentRef,
  site: SiteRef | undefined,
  user: RawBuilder<number>,
): RawBuilder<unknown> {
  const anywhere = site?.kind === 'none' || (site?.kind === 'personal' && ref.kind !== 'url')
  return anywhere ? sql`true` : siteCondition(site, user)
}

/** Maximum number of documents with one url id that are considered; the caller's own come first. */
const MAX_CANDIDATES = 20

/** SQL: order and limit of the documents that one address matches. */
export const candidateOrder = (user: RawBuilder<number>): RawBuilder<unknown> =>
  sql`order by ${documentRole('role')} is null, ${isRemoved}, o.owner_id is distinct from ${user}, d.id
    limit ${sql.lit(MAX_CANDIDATES)}`

/** A document with its workspace and its org, as one user sees them. */
export interface DescribedDocument extends DocumentView {
  readonly orgName: string
  readonly orgDomain: string | null
  readonly orgOwnerName: string | null
  readonly orgOwnerPicture: string | null
  readonly orgCreatedAt: Date
  readonly orgUpdatedAt: Date
  /** See `OrgView.isOwn`. */
  readonly isOrgOwn: boolean
  readonly isOrgGuest: boolean
}

/** How a request names a document. */
export interface DocumentAddress {
  readonly ref: DocumentRef | undefined
  readonly site: SiteRef | undefined
}

/**
 * Returns the documents that an address matches, whether or not the user may see them; several only for a url
 * id.
 */
export const findDocuments = (
  db: Db,
  userId: number,
  address: DocumentAddress,
): Promise<DocumentView[]> =>
  selectDocuments<DocumentView>(db, userId, address, { columns: sql``, joins: sql`` })

/** As `findDocuments`, with their orgs. */
export const describeDocuments = (
  db: Db,
  userId: number,
  address: DocumentAddress,
): Promise<DescribedDocument[]> =>
  selectDocuments<DescribedDocument>(db, userId, address, {
    columns: sql`, o.name as "orgName", o.domain as "orgDomain", u.name as "orgOwnerName",
      u.picture as "orgOwnerPicture", o.created_at as "orgCreatedAt", o.updated_at as "orgUpdatedAt",
      og.own is not null as "isOrgOwn", ${isOrgGuest(sql`${userId}`)} as "isOrgGuest"`,
    joins: sql`left join users u on u.id = o.owner_id`,
  })

async function selectDocuments<T extends DocumentView>(
  db: Db,
  userId: number,
  address: DocumentAddress,
  more: { readonly columns: RawBuilder<unknown>; readonly joins: RawBuilder<unknown> },
): Promise<T[]> {
  const user = sql<number>`${userId}`
  const { rows } = await sql<T>`
    select d.id, d.doc_id as "docId", d.name, d.is_pinned as "isPinned", d.url_id as "urlId",
      d.created_at as "createdAt", d.updated_at as "updatedAt", d.removed_at as "removedAt",
      case when ${readsHistory(documentRole('role'))} then
        (select c.name from users c where c.id = d.updated_by) end as "updatedBy",
      ${isRemoved} as "isRemoved", ${documentRole('role')} as role, og.role as "orgRole",
      o.id as "orgId", o.owner_id as "ownerId", w.id as "workspaceId", w.name as "workspaceName",
      w.created_at as "workspaceCreatedAt", w.updated_at as "workspaceUpdatedAt",
      w.removed_at as "workspaceRemovedAt",
      ${workspaceRole('role')} as "workspaceRole", ${isWorkspaceGuest(user)} as "isWorkspaceGuest"
      ${more.columns}
    from documents d
    join workspaces w on w.id = d.workspace_id
    join orgs o on o.id = d.org_id
    ${more.joins}
    ${joinDocumentGrants(user)}
    where ${addressCondition(address.ref, address.site, user)}
    ${candidateOrder(user)}`.execute(db)
  return rows
}

/** Returns the location of a document, published or not. */
export async function findReserved(
  db: Db,
  docId: string,
): Promise<{ orgId: number; workspaceId: number } | undefined> {
  const { rows } = await sql<{ orgId: number; workspaceId: number }>`
    select org_id as "orgId", workspace_id as "workspaceId" from documents where doc_id = ${docId}`.execute(
    db,
  )
  return rows[0]
}

/**
 * Moves a document to a workspace; in another org it loses its url id. Returns false when the workspace is
 * gone.
 */
export async function moveDocument(
  db: Db,
  id: number,
  { workspaceId, userId }: { readonly workspaceId: number; readonly userId: number },
): Promise<boolean> {
  const { rows } = await sql`
    with w as (
      select id, org_id from workspaces where id = ${workspaceId} and removed_at is null for key share
    )
    update documents d
    set workspace_id = w.id, org_id = w.org_id, url_id = case when d.org_id = w.org_id then d.url_id end,
      updated_at = now(), updated_by = ${userId}
    from w where d.id = ${id} returning d.id`.execute(db)
  return rows.length > 0
}

/** Releases a url id that is held by an expired reservation. */
export async function releaseUrlId(db: Db, orgId: number, urlId: string): Promise<void> {
  await sql`
    update documents set url_id = null
    where org_id = ${orgId} and url_id = ${urlId} and published_at is null
      and created_at < now() - make_interval(secs => ${RESERVATION_SECONDS})`.execute(db)
}

/** Updates a document's metadata in the name of a user. Throws `invalid` when the url id is in use in the org. */
export async function updateDocument(
  db: Db,
  id: number,
  {
    userId,
    ...change
  }: { name?: string; is_pinned?: boolean; url_id?: string | null; readonly userId: number },
): Promise<void> {
  await db
    .updateTable('documents')
    .set({ ...change, updated_at: sql<Date>`now()`, updated_by: userId })
    .where('id', '=', id)
    .execute()
    .catch((error: unknown) => {
      throw brokenUniqueConstraint(error) === 'documents_url_id' ? urlIdInUse() : error
    })
}

/** Returns the error for a url id that another document of the org has. */
export function urlIdInUse(): AppError {
  return new AppError('invalid', 'URL_ID_IN_USE', 'urlId already in use', { field: 'urlId' })
}
