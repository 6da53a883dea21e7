import { sql } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

const statements = [
  `alter table head add column deleted_at timestamptz`,
  `create index head_kept on head (deleted_at) where deleted_at is not null`,
]

/** When documents were deleted of which the log and the snapshot are kept for a while. */
export const keptDocuments: Migration = {
  name: '004-kept-documents',
  async up(trx) {
    for (const statement of statements) await sql.raw(statement).execute(trx)
  },
}
