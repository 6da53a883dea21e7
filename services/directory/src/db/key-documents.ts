import { sql, type Kysely, type Transaction } from 'kysely'
import { isRemoved } from './documents'
import { documentRole, joinDocumentGrants } from './grants'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Documents that are kept of a key: those that it used last. */
const MAX_KEY_DOCUMENTS = 100

/** A key, and the UUID of a document that it may have changed. */
export interface KeyDocument {
  readonly keyId: number
  readonly docId: string
}

/** Records that keys used documents now; a use within the last minute is kept. */
export async function touchKeyDocuments(db: Db, uses: readonly KeyDocument[]): Promise<void> {
  const keyIds = uses.map(({ keyId }) => keyId)
  const docIds = uses.map(({ docId }) => docId)
  const { rows } = await sql<{ keyId: number; isNew: boolean }>`
    insert into key_documents (key_id, document_id)
    select k.id, d.id
    from unnest(${keyIds}::integer[], ${docIds}::uuid[]) u (key_id, doc_id)
    join api_keys k on k.id = u.key_id
    join documents d on d.doc_id = u.doc_id
    where not exists (
      select 1 from key_documents r
      where r.key_id = k.id and r.document_id = d.id and r.used_at > now() - interval '1 minute'
    )
    order by k.id, d.id
    on conflict (key_id, document_id) do update set used_at = now()
    returning key_id as "keyId", xmax = 0 as "isNew"`.execute(db)
  const grown = new Set(rows.flatMap(({ keyId, isNew }) => (isNew ? [keyId] : [])))
  if (grown.size > 0) await deleteSurplus(db, [...grown])
}

async function deleteSurplus(db: Db, keyIds: readonly number[]): Promise<void> {
  await sql`
    delete from key_documents r using (
      select key_id, document_id,
        row_number() over (partition by key_id order by used_at desc, document_id) as place
      from key_documents where key_id = any(${keyIds}::integer[])
    ) n
    where r.key_id = n.key_id and r.document_id = n.document_id
      and n.place > ${sql.lit(MAX_KEY_DOCUMENTS)}`.execute(db)
}

/** A document that a key may have changed. */
export interface NamedDocument {
  readonly docId: string
  readonly name: string
}

/**
 * The documents that a key may have changed and whose history its user can see, most recently used first; undefined when
 * there is no such key of the user, or of anybody if none is given. A revoked key has them still.
 */
export async function listKeyDocuments(
  db: Db,
  keyId: number,
  userId: number | undefined,
): Promise<NamedDocument[] | undefined> {
  const { rows: owners } = await sql<{ userId: number }>`
    select user_id as "userId" from api_keys where id = ${keyId}
      and ${userId === undefined ? sql`true` : sql`user_id = ${userId}`}`.execute(db)
  const [owner] = owners
  if (!owner) return undefined
  const user = sql<number>`${owner.userId}::integer`
  const { rows } = await sql<NamedDocument>`
    select d.doc_id as "docId", d.name
    from key_documents r
    join documents d on d.id = r.document_id
    join workspaces w on w.id = d.workspace_id
    join orgs o on o.id = d.org_id
    ${joinDocumentGrants(user)}
    where r.key_id = ${keyId} and d.published_at is not null and not ${isRemoved}
      and ${documentRole('role')} >= 'editors'
    order by r.used_at desc, d.id limit ${sql.lit(MAX_KEY_DOCUMENTS)}`.execute(db)
  return rows
}
