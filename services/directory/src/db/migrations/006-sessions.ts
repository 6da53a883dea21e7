import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  `create table sessions (
    id integer generated always as identity primary key,
    user_id integer not null references users on delete cascade,
    hash bytea not null unique check (length(hash) = 32),
    user_agent text not null check (length(user_agent) <= 256),
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    idle_for interval not null,
    lasts_until timestamptz not null
  )`,
  `create index sessions_user on sessions (user_id)`,

  // Used links are deleted, so they are indistinguishable from links that never existed.
  `create table sign_in_links (
    hash bytea primary key check (length(hash) = 32),
    user_id integer not null references users on delete cascade,
    origin text not null check (origin in ('operator', 'mail')),
    next text not null check (length(next) <= 2048),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index sign_in_links_user on sign_in_links (user_id)`,
]

/** Adds browser sessions, and the one-time links that start them. */
export const sessions: Migration = {
  name: '006-sessions',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
