import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // Places are referenced by id only: a deleted place leaves the key without access there, not with access to
  // everything.
  `alter table api_keys
    add is_default boolean not null default false,
    add read_only boolean not null default false,
    add scope_orgs integer[] not null default '{}',
    add scope_workspaces integer[] not null default '{}',
    add scope_documents uuid[] not null default '{}'`,
  `update api_keys set is_default = true where id in (
    select min(id) from api_keys where revoked_at is null and expires_at is null group by user_id
  )`,
  `create unique index api_keys_default on api_keys (user_id) where is_default and revoked_at is null`,
]

/** Adds scopes of keys, and the default key of each user. */
export const keyScope: Migration = {
  name: '004-key-scope',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
