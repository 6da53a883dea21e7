import type { ServerCall } from '@sheaf/auth/server-call'
import { keyCapError, type KeyCaps } from '@sheaf/auth/key-caps'
import type { Counted, KeyWrites } from '../key-writes'
import type { DocumentWriter } from '../store/document'
import type { Operation, SchemaOperation } from '../store/log/log'
import { ATTACHMENTS } from '../store/attachments/attachments'

/** The caps of the key behind one write. */
export interface WriteCaps {
  /**
   * Throws `forbidden` or `too_many` when what the write has done so far exceeds a cap, and otherwise counts it. May be
   * called again when the write is run again.
   */
  require(doc: Pick<DocumentWriter, 'operations'>): void
  /** Must be called when the write has failed. */
  failed(): void
}

/** The caps that apply to a write of the document; undefined for callers without any. */
export function writeCapsOf(
  keyWrites: KeyWrites,
  { caller }: ServerCall,
  docId: string,
): WriteCaps | undefined {
  const caps = caller.scope?.caps
  if (!caps) return undefined
  let counted: Counted | undefined
  const failed = () => {
    if (counted) keyWrites.giveBack(counted)
    counted = undefined
  }
  return {
    failed,
    require({ operations }) {
      failed()
      for (const operation of operations) requireTable(caps, operation)
      for (const operation of operations) requireNoStructure(caps, operation)
      const rows = operations.reduce((sum, operation) => sum + rowsOf(operation), 0)
      requireRows(caps, rows)
      const { rowsPerHour } = caps
      if (rowsPerHour !== undefined && rows > 0)
        counted = keyWrites.count(`${caller.keyId ?? 0} ${docId}`, rows, rowsPerHour)
    },
  }
}

function requireTable({ tables }: KeyCaps, { table }: Operation): void {
  if (!tables || tables.includes(table)) return
  throw keyCapError('tables', `the API key must not write to table ${table}`)
}

function requireNoStructure(caps: KeyCaps, operation: Operation): void {
  if (!isStructure(operation)) return
  if (caps.noStructure)
    throw keyCapError('noStructure', 'the API key must not change tables and columns')
  const { rowsPerCall, rowsPerHour } = caps
  const cap = rowsPerCall === undefined ? 'rowsPerHour' : 'rowsPerCall'
  // A conversion or a removal writes all rows of its table, whatever their number.
  if ((rowsPerCall ?? rowsPerHour) !== undefined && !isAddition(operation))
    throw keyCapError(cap, 'the API key has a cap on rows: it can add tables and columns only')
}

function requireRows({ rowsPerCall, rowsPerHour }: KeyCaps, rows: number): void {
  if (rowsPerCall !== undefined && rows > rowsPerCall)
    throw keyCapError('rowsPerCall', `the API key may write at most ${rowsPerCall} rows in a call`)
  // Waiting would not help, so this is not answered as a rate.
  if (rowsPerHour !== undefined && rows > rowsPerHour)
    throw keyCapError('rowsPerHour', `the API key may write at most ${rowsPerHour} rows in an hour`)
}

const isSchema = (operation: Operation): operation is SchemaOperation => 'columnRef' in operation

/** The first values of an empty column make it a data column, which is no change that the caller asked for. */
function isStructure(operation: Operation): boolean {
  if (isSchema(operation)) return !operation.redo?.refit
  return operation.table.startsWith('_grist_') && operation.table !== ATTACHMENTS
}

const isAddition = ({ kind }: Operation): boolean => kind === 'add_table' || kind === 'add_column'

function rowsOf(operation: Operation): number {
  if (isSchema(operation) || operation.derived || operation.fired) return 0
  return operation.rowIds.length
}
