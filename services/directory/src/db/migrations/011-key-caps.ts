import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds caps of keys: null, or an object with at least one cap. */
export const keyCaps: Migration = {
  name: '011-key-caps',
  async up(db: Transaction<unknown>) {
    await sql`alter table api_keys add caps jsonb check (jsonb_typeof(caps) = 'object')`.execute(db)
  },
}
