import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // JSON objects of clients as text, since no query inspects them.
  `alter table orgs add column preferences text`,
  `alter table users add column preferences text`,
  `create table user_org_preferences (
    org_id integer not null references orgs on delete cascade,
    user_id integer not null references users on delete cascade,
    preferences text not null,
    primary key (org_id, user_id)
  )`,
  `create index user_org_preferences_user on user_org_preferences (user_id)`,
]

/** Adds preferences of sites, of users, and of users on a site. */
export const preferences: Migration = {
  name: '007-preferences',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
