import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  `create table key_documents (
    key_id integer not null references api_keys on delete cascade,
    document_id integer not null references documents on delete cascade,
    used_at timestamptz not null default now(),
    primary key (key_id, document_id)
  )`,
  `create index key_documents_document on key_documents (document_id)`,
]

/** Adds the documents that keys may have changed. */
export const keyDocuments: Migration = {
  name: '013-key-documents',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
