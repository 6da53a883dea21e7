import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // Places stand by their ids alone: when one is gone, the key reaches nothing there, and not everything.
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

/** Scopes of keys, and the one key of each user that the profile shows. */
export const keyScope: Migration = {
  name: '004-key-scope',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
