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
  /** Only entries that were written with this API key. */
  readonly keyId?: number | undefined
}

const CONCERNS = 'AND EXISTS (SELECT 1 FROM json_each(tables) WHERE value = ?)'
// The second condition is that of the index.
const WRITTEN_BY = 'AND key_id = ? AND key_id > 0'

/** Lists entries without reading their operations, newest first. Throws LogDamaged. */
export function listSizedEntries(
  connection: Connection,
  { from, before, tableRef, keyId }: SizedEntryRange,
): SizedEntry[] {
  const select = `
    SELECT seq, octet_length(operations) AS size FROM _sheaf_log
    WHERE seq >= ? AND seq < ? ${keyId === undefined ? '' : WRITTEN_BY}
      ${tableRef === undefined ? '' : CONCERNS} ORDER BY seq DESC`
  const wanted = [keyId, tableRef].filter((value) => value !== undefined)
  try {
    return connection.prepare<SizedEntry>(select).all(from, before, ...wanted)
  } catch (error) {
    // The only JSON in the statement is that of the log.
    if ((error as Error).message === 'malformed JSON') throw new LogDamaged(undefined)
    throw error
  }
}

/** The seq of the latest entry before `before` that was written with this API key; 0 for none. */
export function findLatestOfKey(connection: Connection, keyId: number, before: number): number {
  const sql = `SELECT max(seq) FROM _sheaf_log WHERE seq < ? ${WRITTEN_BY}`
  return connection.pluck<number | null>(sql).get(before, keyId) ?? 0
}
