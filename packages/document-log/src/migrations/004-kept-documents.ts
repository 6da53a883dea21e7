import { sql } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

/** When documents were deleted of which the log and the snapshot are kept for a while. */
export const keptDocuments: Migration = {
  name: '004-kept-documents',
  async up(trx) {
    await sql`alter table head add column deleted_at timestamptz`.execute(trx)
  },
}
