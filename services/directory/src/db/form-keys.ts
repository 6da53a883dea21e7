import { sql, type Kysely, type Transaction } from 'kysely'
import type { AccessRow } from './access'
import { assignmentColumns } from './assignments'
import { isRemoved } from './documents'
import { ANONYMOUS_ID, type DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Keys of one document; many times the number of forms that a document needs. */
export const MAX_FORM_KEYS = 1_000

/** A form: a view of a document. */
export interface FormRef {
  readonly documentId: number
  readonly viewId: number
}

/** The key of a form. */
export interface FormKeyRow {
  readonly key: string
  readonly createdAt: Date
}

/** What the key of a form grants: the anonymous user, who has no role, the use of one form. */
export interface FormAccessRow extends AccessRow {
  readonly viewId: number
}

/** Returns what a key grants, with the access version in the same snapshot; undefined for an unknown key. */
export async function resolveFormKey(
  db: Kysely<DirectorySchema>,
  hash: Buffer,
): Promise<FormAccessRow | undefined> {
  const { rows } = await sql<FormAccessRow>`
    select u.id as "userId", u.kind, u.email, u.name, null as "keyId", null as "keyExpiresAt",
      null as "keyLastUsedAt", null as scope, s.version, d.doc_id as "docId", d.org_id as "orgId",
      d.workspace_id as "workspaceId", null as role, null as "ownerId", ${isRemoved} as "isRemoved",
      f.view_id::float8 as "viewId", ${assignmentColumns}
    from form_keys f
    join documents d on d.id = f.document_id
    join workspaces w on w.id = d.workspace_id
    join users u on u.id = ${sql.lit(ANONYMOUS_ID)}
    cross join access_state s
    left join homes h on h.name = d.home
    where f.hash = ${hash} and d.published_at is not null`.execute(db)
  return rows[0]
}

/** Returns the key of a form; undefined for none. */
export async function findFormKey(
  db: Db,
  { documentId, viewId }: FormRef,
): Promise<FormKeyRow | undefined> {
  const { rows } = await sql<FormKeyRow>`
    select key, created_at as "createdAt" from form_keys
    where document_id = ${documentId} and view_id = ${viewId}`.execute(db)
  return rows[0]
}

/** Makes others who store keys of the document wait until the end of the transaction. */
export async function lockFormKeys(
  trx: Transaction<DirectorySchema>,
  documentId: number,
): Promise<void> {
  await sql`select 1 from documents where id = ${documentId} for no key update`.execute(trx)
}

/** A key to store. */
export interface NewFormKey extends FormRef {
  readonly key: string
  readonly hash: Buffer
  readonly userId: number
}

/** Stores the key of a form in place of one that it may have; undefined when the document is gone. */
export async function putFormKey(
  trx: Transaction<DirectorySchema>,
  { documentId, viewId, key, hash, userId }: NewFormKey,
): Promise<FormKeyRow | undefined> {
  const { rows } = await sql<FormKeyRow>`
    insert into form_keys (document_id, view_id, key, hash, created_by)
    select d.id, ${viewId}, ${key}, ${hash}, ${userId} from documents d where d.id = ${documentId} for key share
    on conflict (document_id, view_id) do update set key = excluded.key, hash = excluded.hash,
      created_by = excluded.created_by, created_at = excluded.created_at
    returning key, created_at as "createdAt"`.execute(trx)
  return rows[0]
}

/** Counts the keys of a document. */
export async function countFormKeys(db: Db, documentId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from form_keys where document_id = ${documentId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Deletes the key of a form; false when it had none. */
export async function deleteFormKey(
  trx: Transaction<DirectorySchema>,
  { documentId, viewId }: FormRef,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from form_keys where document_id = ${documentId} and view_id = ${viewId}`.execute(trx)
  return numAffectedRows > 0n
}
