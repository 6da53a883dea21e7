import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // The key itself is kept, because editors copy the link of a form at any time; it grants no more than adding rows to it.
  `create table form_keys (
    document_id integer not null references documents on delete cascade,
    view_id bigint not null,
    key text not null,
    hash bytea not null unique,
    created_by integer references users on delete set null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (document_id, view_id)
  )`,
  `create index form_keys_created_by on form_keys (created_by)`,
]

/** Adds the keys by which forms are used without signing in. */
export const formKeys: Migration = {
  name: '021-form-keys',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
