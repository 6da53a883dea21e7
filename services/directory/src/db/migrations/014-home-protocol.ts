import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds what an instance understands of its requests; 0 until it has reported that. */
export const homeProtocol: Migration = {
  name: '014-home-protocol',
  async up(db: Transaction<unknown>) {
    await sql`alter table homes add column protocol integer not null default 0`.execute(db)
  },
}
