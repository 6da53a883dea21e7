import { sql } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

/** Which documents are on the disk of their instance alone: the log has nothing of them. */
export const localDocuments: Migration = {
  name: '005-local-documents',
  async up(trx) {
    await sql`alter table head add column local boolean not null default false`.execute(trx)
  },
}
