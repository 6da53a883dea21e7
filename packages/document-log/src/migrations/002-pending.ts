import { sql } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

const statements = [
  `alter table head add column pending boolean not null default false`,
  `create index head_unfinished on head (instance) where (unpublished or pending) and not deleted`,
  `drop index head_unpublished`,
]

/** Which documents have cells that formulas still have to compute. */
export const pending: Migration = {
  name: '002-pending',
  async up(trx) {
    for (const statement of statements) await sql.raw(statement).execute(trx)
  },
}
