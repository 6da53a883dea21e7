import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // Waits for deletions in progress, so that every deletion either precedes or sees the new consumer.
  `lock table outbox in share row exclusive mode`,
  `insert into outbox (consumer, kind, doc_id, home)
   select 'webhook', kind, doc_id, home from outbox where consumer = 'document-data'`,
  `insert into outbox_consumers (name) values ('webhook')`,
  // Entries of one consumer must not slow down the queries for another.
  `drop index outbox_due`,
  `create index outbox_due on outbox (consumer, due_at)`,
]

/**
 * Adds the webhook service as a consumer of deletions, including those that document-data has not confirmed
 * yet.
 */
export const webhookOutbox: Migration = {
  name: '005-webhook-outbox',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
