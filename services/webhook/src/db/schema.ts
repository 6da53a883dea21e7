import type { ColumnType } from 'kysely'

interface TombstonesTable {
  doc_id: string
  deleted_at: ColumnType<Date, never, never>
}

/** The tables of the PostgreSQL schema `webhook`, as Kysely sees them. */
export interface WebhookSchema {
  tombstones: TombstonesTable
}
