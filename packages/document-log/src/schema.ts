import type { ColumnType, Generated, Kysely } from 'kysely'

/** Name of the PostgreSQL schema of the log. */
export const LOG_SCHEMA = 'document_log'

/** Where the log of a document stands. */
interface HeadTable {
  doc: string
  /** Number of the assignment of the document to an instance, under which it was last opened. */
  assigned: Generated<number>
  /** Name of the instance that opened it last. */
  instance: string
  /** Raised by every opening; only records of the present term are accepted. */
  term: Generated<number>
  /** Position of the latest record. */
  lsn: number
  /** True when the log may have entries that NATS has not confirmed. */
  unpublished: boolean
  /** Format of its file after the latest record; 0 when that was never recorded. */
  format: Generated<number>
  /** True when formulas still have to compute cells of the document. */
  pending: Generated<boolean>
  /** Name of the latest snapshot in the store, the position up to which it holds the document, and that record's term. */
  snapshot: string | null
  snapshot_lsn: number | null
  snapshot_term: number | null
  /** True while the document is on the disk of its instance alone: then the log has nothing of it but its term. */
  local: Generated<boolean>
  deleted: Generated<boolean>
  /** When a document was deleted whose log and snapshot are kept; null for any other. */
  deleted_at: ColumnType<Date | null, never, null>
  /** True when nothing of a deleted document is left that is to be removed: also while it is kept. */
  collected: Generated<boolean>
}

interface RecordTable {
  doc: string
  lsn: ColumnType<number, number, never>
  term: ColumnType<number, number, never>
  body: ColumnType<Buffer, Uint8Array, never>
}

/** Tables of the schema `document_log`. */
export interface LogTables {
  head: HeadTable
  record: RecordTable
}

/** The log database, or a transaction in it. */
export type LogTablesDb = Kysely<LogTables>
