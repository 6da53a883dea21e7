import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // An instance without replication has no lease.
  `alter table homes add column start_id text check (length(start_id) between 1 and 100)`,
  `alter table homes add column lease_until timestamptz`,
  `alter table homes add constraint homes_lease check (num_nulls(start_id, lease_until) in (0, 2))`,
  `alter table documents add column assignment bigint not null default 0`,
]

/** Adds the leases of replicated instances, and the number of the assignment of a document to its instance. */
export const homeLeases: Migration = {
  name: '009-home-leases',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
