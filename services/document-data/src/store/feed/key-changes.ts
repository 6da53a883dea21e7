import type { Connection } from '../sqlite/connections'
import type { LogEntry, Operation } from '../log/log'
import { readHistory } from './history'

/** Tables that are named per change. */
const MAX_TABLES = 20

/** What a change did to one table, apart from what formulas computed. */
export interface TableChanges {
  readonly tableId: string
  readonly tableRef: number
  addedRows: number
  updatedRows: number
  removedRows: number
  /** True when the table itself or its columns were added, changed or removed. */
  structure: boolean
}

/** A change without its values. */
export interface KeyChange extends Pick<LogEntry, 'seq' | 'time' | 'cause'> {
  readonly tables: readonly TableChanges[]
  /** True when `tables` is incomplete. */
  readonly truncated: boolean
}

/** A page of changes. */
export interface KeyChanges {
  readonly changes: readonly KeyChange[]
  /** True when earlier changes may follow. */
  readonly hasMore: boolean
}

/** The changes of a key to list: see `HistoryQuery`. */
export interface KeyChangesQuery {
  readonly keyId: number
  readonly before: number
  readonly limit: number
}

/** Summaries of what a key has changed, newest first: at least one if there is any. */
export function readKeyChanges(connection: Connection, query: KeyChangesQuery): KeyChanges {
  const { entries, next } = readHistory(connection, query)
  return { changes: entries.map(summarize), hasMore: next > 0 }
}

function summarize({ seq, time, cause, operations }: LogEntry): KeyChange {
  const tables = new Map<number, TableChanges>()
  for (const operation of operations ?? []) if (!('derived' in operation)) count(tables, operation)
  const truncated = operations === undefined || tables.size > MAX_TABLES
  return { seq, time, cause, tables: [...tables.values()].slice(0, MAX_TABLES), truncated }
}

function count(tables: Map<number, TableChanges>, operation: Operation): void {
  const { table: tableId, tableRef } = operation
  let of = tables.get(tableRef)
  if (!of) {
    of = { tableId, tableRef, addedRows: 0, updatedRows: 0, removedRows: 0, structure: false }
    tables.set(tableRef, of)
  }
  if (!('rowIds' in operation)) of.structure = true
  else if (operation.kind === 'add_rows') of.addedRows += operation.rowIds.length
  else if (operation.kind === 'update_rows') of.updatedRows += operation.rowIds.length
  else of.removedRows += operation.rowIds.length
}
