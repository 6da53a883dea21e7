import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** As of which entry of the log the refs of a webhook are; those of before have followed every entry that was handled. */
export const refsSeq: Migration = {
  name: '003-refs-seq',
  async up(db: Transaction<unknown>) {
    // For a while 002 made it, so some databases have it.
    const column = 'add column if not exists refs_seq bigint not null default 0'
    await sql.raw(`alter table webhooks ${column}`).execute(db)
  },
}
