import { sql, type Kysely, type Transaction } from 'kysely'
import { joinWorkspaceGrants, workspaceRole } from './grants'
import { liveHome } from './homes'
import type { DirectorySchema, GrantedRole } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** SQL: name and address of an instance; none when no instance may have a document. */
export type HomeSql = typeof liveHome

/** A document to reserve. */
export interface NewDocument {
  readonly docId: string
  readonly urlId: string
  readonly name: string
  readonly isPinned: boolean
  /** Null for the operator, who may create documents in every workspace. */
  readonly creatorId: number | null
  /** True if its creator becomes its owner; the public users never do. */
  readonly ownedByCreator: boolean
}

/** What became of a document to reserve. */
export interface Reservation {
  /** False when the workspace does not exist. */
  readonly hasPlace: boolean
  /** The role of the creator on the workspace. */
  readonly role: GrantedRole | null
  /** True when the workspace is in the trash. */
  readonly isRemoved: boolean
  /** The instance for its file; null when none is live. */
  readonly home: string | null
  readonly homeAddress: string | null
  readonly homeProtocol: number | null
  /** False, if nothing else is in the way, when the url id is in use in the org. */
  readonly isReserved: boolean
}

/**
 * Reserves unpublished documents in a workspace of an org: those whose creators may edit it, while it is not in the trash
 * and an instance is live (`chosenHome`: SQL of the one to take). Returns the outcomes in order. The row of the workspace is locked against concurrent deletion.
 */
export async function insertDocuments(
  db: Db,
  { workspaceId, orgId }: { readonly workspaceId: number; readonly orgId: number },
  docs: readonly NewDocument[],
  chosenHome: HomeSql = liveHome,
): Promise<Reservation[]> {
  const creator = sql<number>`c.id`
  const { rows } = await sql<Reservation>`
    with asked as (
      select * from unnest(
        ${docs.map(({ docId }) => docId)}::uuid[], ${docs.map(({ name }) => name)}::text[],
        ${docs.map(({ urlId }) => urlId)}::text[], ${docs.map(({ isPinned }) => isPinned)}::boolean[],
        ${docs.map(({ creatorId }) => creatorId)}::integer[],
        ${docs.map(({ ownedByCreator }) => ownedByCreator)}::boolean[]
      ) with ordinality as a (doc_id, name, url_id, is_pinned, creator, is_owned, number)
    ), place as (
      select id, org_id, max_inherited_role, removed_at from workspaces
      where id = ${workspaceId} and org_id = ${orgId} for key share
    ), home as (${chosenHome}),
    creators as (
      select c.id, ${workspaceRole('role')} as role
      from (select distinct creator as id from asked) c
      cross join place w
      join orgs o on o.id = w.org_id
      ${joinWorkspaceGrants(creator)}
    ), made as (
      insert into documents (doc_id, org_id, workspace_id, name, url_id, is_pinned, home, created_by, updated_by)
      select a.doc_id, w.org_id, w.id, a.name, a.url_id, a.is_pinned, h.name, a.creator, a.creator
      from asked a left join creators c on c.id = a.creator cross join place w cross join home h
      where (a.creator is null or c.role >= 'editors') and w.removed_at is null
      order by a.number
      on conflict do nothing
      returning id, doc_id
    ), owned as (
      insert into document_grants (document_id, user_id, role)
      select m.id, a.creator, 'owners' from made m join asked a on a.doc_id = m.doc_id where a.is_owned
    )
    select w.id is not null as "hasPlace", c.role, w.removed_at is not null as "isRemoved",
      h.name as home, h.address as "homeAddress", h.protocol as "homeProtocol",
      m.id is not null as "isReserved"
    from asked a
    left join place w on true
    left join creators c on c.id = a.creator
    left join home h on true
    left join made m on m.doc_id = a.doc_id
    order by a.number`.execute(db)
  return rows
}

/** A reserved document to publish. */
export interface ReservedDocument {
  readonly docId: string
  /** Its creator; undefined for any. */
  readonly creatorId: number | undefined
}

/** What became of a document to publish. */
export interface Publication {
  readonly isPublished: boolean
  /** True when a document of another org has the same url id, so that the address without a site may mean this one now. */
  readonly sharesUrlId: boolean
}

/** SQL: whether another org has a document, published or not, with the url id of document `d`. */
const sharesUrlId = sql<boolean>`
  exists (select 1 from documents o where o.url_id = d.url_id and o.org_id <> d.org_id)`

/**
 * Publishes reserved documents, and returns for each whether that was done: not for one that does not exist, was not
 * created by `creatorId`, or is locked by another transaction. Idempotent.
 */
export async function publishDocuments(
  db: Db,
  docs: readonly ReservedDocument[],
): Promise<Publication[]> {
  const { rows } = await sql<Publication>`
    with asked as (
      select * from unnest(
        ${docs.map(({ docId }) => docId)}::uuid[], ${docs.map(({ creatorId }) => creatorId ?? null)}::integer[]
      ) with ordinality as a (doc_id, creator, number)
    ), ready as (
      select d.id from documents d
      where exists (
        select 1 from asked a where a.doc_id = d.doc_id and (a.creator is null or a.creator = d.created_by)
      ) for update skip locked
    ), published as (
      update documents d set published_at = coalesce(published_at, now()) from ready where d.id = ready.id
      returning d.doc_id, d.created_by, ${sharesUrlId} as shares_url_id
    )
    select p.doc_id is not null and (a.creator is null or a.creator = p.created_by) as "isPublished",
      coalesce(p.shares_url_id, false) as "sharesUrlId"
    from asked a left join published p on p.doc_id = a.doc_id
    order by a.number`.execute(db)
  return rows
}

/**
 * As `publishDocuments`, for one document, waiting for other transactions; undefined when it does not exist or was not
 * created by `creatorId`. Idempotent.
 */
export async function publishDocument(
  db: Db,
  { docId, creatorId = null }: { docId: string; creatorId?: number | null | undefined },
): Promise<Publication | undefined> {
  const { rows } = await sql<Publication>`
    update documents d set published_at = coalesce(published_at, now())
    where doc_id = ${docId} and (${creatorId}::integer is null or created_by = ${creatorId}::integer)
    returning true as "isPublished", ${sharesUrlId} as "sharesUrlId"`.execute(db)
  return rows[0]
}

/** Deletes an unpublished document; false when it does not exist or was not created by `creatorId`. */
export async function discardDocument(
  db: Db,
  docId: string,
  creatorId: number | undefined,
): Promise<boolean> {
  const { rows } = await sql`
    delete from documents where doc_id = ${docId} and published_at is null
      and (${creatorId ?? null}::integer is null or created_by = ${creatorId ?? null}::integer)
    returning id`.execute(db)
  return rows.length > 0
}
