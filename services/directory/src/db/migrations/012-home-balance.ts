import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Indexes documents by their instance, to list and count those of one, and adds how busy an instance is. */
export const homeBalance: Migration = {
  name: '012-home-balance',
  async up(db: Transaction<unknown>) {
    await sql`create index documents_home on documents (home, id)`.execute(db)
    await sql`alter table homes add column load double precision not null default 0`.execute(db)
  },
}
