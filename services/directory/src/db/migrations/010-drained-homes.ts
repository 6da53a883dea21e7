import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds the mark of instances that hand their documents over to others. */
export const drainedHomes: Migration = {
  name: '010-drained-homes',
  async up(db: Transaction<unknown>) {
    await sql`alter table homes add column drained boolean not null default false`.execute(db)
  },
}
