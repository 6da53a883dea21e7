import { sql } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

const statements = [
  // Updated by every append: pages keep room for the new version of a row beside the old one.
  `create table head (
    doc uuid primary key,
    assigned int8 not null default 0,
    instance text not null,
    term int8 not null default 0,
    lsn int8 not null,
    unpublished boolean not null,
    snapshot text,
    snapshot_lsn int8,
    snapshot_term int8,
    deleted boolean not null default false,
    collected boolean not null default false,
    constraint head_whole_snapshot check (num_nulls(snapshot, snapshot_lsn, snapshot_term) in (0, 3))
  ) with (fillfactor = 70)`,
  // The columns of the predicates rarely change, so that most appends touch no index.
  `create index head_unpublished on head (instance) where unpublished and not deleted`,
  `create index head_uncollected on head (doc) where deleted and not collected`,

  `create table record (
    doc uuid not null,
    lsn int8 not null,
    term int8 not null,
    body bytea not null,
    primary key (doc, lsn)
  )`,
]

/** Where the log of each document stands, and the records of all logs. */
export const headsAndRecords: Migration = {
  name: '001-heads-and-records',
  async up(trx) {
    for (const statement of statements) await sql.raw(statement).execute(trx)
  },
}
