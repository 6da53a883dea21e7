import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  `alter table documents add column pinned text check (pinned in ('waiting', 'kept'))`,
  `create index documents_pinned on documents (home, id) where pinned is not null`,
]

/** Adds the mark of documents that are on the disk of their instance alone, though it is replicated. */
export const pinnedDocuments: Migration = {
  name: '017-pinned-documents',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
