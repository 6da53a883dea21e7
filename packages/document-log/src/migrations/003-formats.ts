import { sql } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

/** The format of the file of each document after its latest record; 0 for those whose format was never recorded. */
export const formats: Migration = {
  name: '003-formats',
  async up(trx) {
    await sql`alter table head add column format integer not null default 0`.execute(trx)
  },
}
