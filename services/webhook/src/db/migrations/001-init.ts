import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // Deleted documents. Tombstones outlive the data of the documents, since late calls must find them.
  `create table tombstones (
    doc_id uuid primary key,
    deleted_at timestamptz not null default now()
  )`,
]

/** Creates the initial tables. */
export const init: Migration = {
  name: '001-init',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
