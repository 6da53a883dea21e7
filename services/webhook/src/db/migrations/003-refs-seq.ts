import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/**
 * Adds the log position for which the refs of a webhook are valid; refs of existing webhooks have followed
 * every handled entry.
 */
export const refsSeq: Migration = {
  name: '003-refs-seq',
  async up(db: Transaction<unknown>) {
    // An earlier version of 002 created it, so some databases have it.
    const column = 'add column if not exists refs_seq bigint not null default 0'
    await sql.raw(`alter table webhooks ${column}`).execute(db)
  },
}
