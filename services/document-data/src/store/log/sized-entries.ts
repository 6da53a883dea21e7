import type { Connection } from '../sqlite/connections'
import { LogDamaged } from './entry-checksum'

/** An entry of the log, with the bytes of its operations. */
export interface SizedEntry {
  readonly seq: number
  readonly size: number
}

/** Which entries of the log to list. */
export interface SizedEntryRange {
  /** The first seq, … */
  readonly from: number
  /** … and the one after the last. */
  readonly before: number
  /** Only entries that concern the table with this ref. */
  readonly tableRef?: number | undefined
}

const CONCERNS = 'AND EXISTS (SELECT 1 FROM json_each(tables) WHERE value = ?)'

/** Lists entries without reading their operations, newest first. Throws LogDamaged. */
export function listSizedEntries(
  connection: Connection,
  { from, before, tableRef }: SizedEntryRange,
): SizedEntry[] {
  const select = `
    SELECT seq, octet_length(operations) AS size FROM _sheaf_log
    WHERE seq >= ? AND seq < ? ${tableRef === undefined ? '' : CONCERNS} ORDER BY seq DESC`
  const concerned = tableRef === undefined ? [] : [tableRef]
  try {
    return connection.prepare<SizedEntry>(select).all(from, before, ...concerned)
  } catch (error) {
    // The only JSON in the statement is that of the log.
    if ((error as Error).message === 'malformed JSON') throw new LogDamaged(undefined)
    throw error
  }
}
