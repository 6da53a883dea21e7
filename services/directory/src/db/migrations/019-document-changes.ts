import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/**
 * Adds who changed a document last. Without a foreign key: updates of `updated_at` stay within their page of the table, and the
 * id of a deleted user is never given to another one.
 */
export const documentChanges: Migration = {
  name: '019-document-changes',
  async up(db: Transaction<unknown>) {
    await sql`alter table documents add column updated_by integer`.execute(db)
  },
}
