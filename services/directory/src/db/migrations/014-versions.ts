import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds what an instance understands of its requests; 0 until it has reported that. */
export const homeProtocol: Migration = {
  name: '014-home-protocol',
  async up(db: Transaction<unknown>) {
    await sql`alter table homes add column protocol integer not null default 0`.execute(db)
  },
}

const statements = [
  `alter table homes add column format_min integer not null default 0`,
  `alter table homes add column format_max integer not null default 0`,
  `alter table documents add column format integer not null default 0`,
]

/** Adds the formats of document files that instances can read, and the one that a replicated document has or may get. */
export const documentFormats: Migration = {
  name: '015-document-formats',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
