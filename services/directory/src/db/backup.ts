import type { DumpPlan } from '@sheaf/kit/postgres/database-dump'
import { sql, type Kysely, type Transaction } from 'kysely'
import { migrations } from './migrations/index'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Tables that are part of a backup. Unpublished documents are excluded. */
export const dumpPlan: DumpPlan = {
  schema: 'directory',
  version: migrations.length,
  tables: [
    { name: 'users' },
    { name: 'api_keys' },
    { name: 'orgs' },
    { name: 'workspaces' },
    { name: 'documents', where: 't.published_at is not null' },
    { name: 'org_grants' },
    { name: 'user_org_preferences' },
    { name: 'workspace_grants' },
    {
      name: 'document_grants',
      where: 't.document_id in (select d.id from documents d where d.published_at is not null)',
    },
    {
      name: 'key_documents',
      where: 't.document_id in (select d.id from documents d where d.published_at is not null)',
    },
    {
      name: 'user_document_preferences',
      where: 't.document_id in (select d.id from documents d where d.published_at is not null)',
    },
    {
      name: 'form_keys',
      where: 't.document_id in (select d.id from documents d where d.published_at is not null)',
    },
    { name: 'access_audit' },
  ],
}

/** Counts of the contents that a restore must not mix with. */
export interface Contents {
  readonly users: number
  readonly sites: number
  readonly documents: number
}

/** Counts users who can sign in, team sites and documents. */
export async function countContents(db: Db): Promise<Contents> {
  const { rows } = await sql<Contents>`
    select (select count(*) from users where kind = 'login') as users,
      (select count(*) from orgs where owner_id is null) as sites,
      (select count(*) from documents) as documents`.execute(db)
  return rows[0] ?? { users: 0, sites: 0, documents: 0 }
}

/** Blocks concurrent additions until the end of the transaction. */
export async function holdContents(trx: Transaction<DirectorySchema>): Promise<void> {
  await sql`lock table users, orgs, documents in share row exclusive mode`.execute(trx)
}

/** Removes what a first start created: the owner with their site, and rows that reference them. */
export async function clearContents(trx: Transaction<DirectorySchema>): Promise<void> {
  await sql`delete from access_audit`.execute(trx)
  await sql`delete from orgs`.execute(trx)
  await sql`delete from deleted_documents`.execute(trx)
  await sql`delete from users`.execute(trx)
}

/** A document is stored outside of the disk of its instance when it is restored there, if the instance is replicated. */
export async function clearPins(trx: Transaction<DirectorySchema>): Promise<void> {
  await sql`update documents set pinned = null where pinned is not null`.execute(trx)
}

/** Removes documents without a file. */
export async function deleteMissing(
  trx: Transaction<DirectorySchema>,
  docIds: readonly string[],
): Promise<void> {
  await sql`delete from documents where doc_id = any(${docIds}::uuid[])`.execute(trx)
  await sql`delete from deleted_documents where doc_id = any(${docIds}::uuid[])`.execute(trx)
}
