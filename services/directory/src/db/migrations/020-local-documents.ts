import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds the mark of documents that an operator has released from replication. */
export const localDocuments: Migration = {
  name: '020-local-documents',
  async up(db: Transaction<unknown>) {
    await sql`
      alter table documents drop constraint documents_pinned_check,
        add constraint documents_pinned_check check (pinned in ('waiting', 'local'))`.execute(db)
  },
}
