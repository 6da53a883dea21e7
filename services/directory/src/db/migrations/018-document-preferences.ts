import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // JSON objects of clients as text, as in 007.
  `create table user_document_preferences (
    user_id integer not null references users on delete cascade,
    document_id integer not null references documents on delete cascade,
    preferences text not null,
    updated_at timestamptz not null default clock_timestamp(),
    primary key (user_id, document_id)
  )`,
  `create index user_document_preferences_document on user_document_preferences (document_id)`,
  `create index user_document_preferences_updated on user_document_preferences (user_id, updated_at)`,
]

/** Adds preferences of users in a document. */
export const documentPreferences: Migration = {
  name: '018-document-preferences',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
