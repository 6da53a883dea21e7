import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds what the shares and lanes of delivery depend on, so that all instances decide alike. */
export const fairDelivery: Migration = {
  name: '004-fair-delivery',
  async up(db: Transaction<unknown>) {
    const statements = [
      // The user who created it; null for webhooks of earlier versions.
      `alter table webhooks add column creator bigint`,
      // The network that its last attempt reached; empty before the first one.
      `alter table webhooks add column network text not null default ''`,
      // True when its last attempt took long.
      `alter table webhooks add column slow boolean not null default false`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
