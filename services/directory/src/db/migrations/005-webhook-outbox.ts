import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // Deletions that are under way end first, and later ones find the new consumer: none falls between.
  `lock table outbox in share row exclusive mode`,
  `insert into outbox (consumer, kind, doc_id, home)
   select 'webhook', kind, doc_id, home from outbox where consumer = 'document-data'`,
  `insert into outbox_consumers (name) values ('webhook')`,
  // What waits for one consumer is no work for those who deliver to another.
  `drop index outbox_due`,
  `create index outbox_due on outbox (consumer, due_at)`,
]

/** The webhook service hears of documents that are gone, those included of which document-data has not heard yet. */
export const webhookOutbox: Migration = {
  name: '005-webhook-outbox',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
