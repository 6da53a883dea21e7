import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // Documents that are gone. They outlive all that was kept of them, since a call that comes late must find them.
  `create table tombstones (
    doc_id uuid primary key,
    deleted_at timestamptz not null default now()
  )`,
]

/** The first tables. */
export const init: Migration = {
  name: '001-init',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
