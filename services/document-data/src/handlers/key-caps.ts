import type { ServerCall } from '@sheaf/auth/server-call'
import { keyCapError, type KeyCaps } from '@sheaf/auth/key-caps'
import type { Counted, KeyWrites } from '../key-writes'
import type { DocumentWriter } from '../store/document'
import type { Operation, SchemaOperation } from '../store/log/log'
import { ATTACHMENTS } from '../store/attachments/attachments'
import { isMetadataTable } from '../store/records/metadata-rows'
import { VIEWS } from '../store/schema/metadata-tables'
import { tablesOfViews } from '../store/views/view-rows'

type Written = Pick<DocumentWriter, 'operations' | 'connection' | 'schema'>

/** The caps of the key behind one write. */
export interface WriteCaps {
  /**
   * Throws `forbidden` or `too_many` when what the write has done so far exceeds a cap, and otherwise counts it. May be
   * called again when the write is run again.
   */
  require(doc: Written): void
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
    require(doc) {
      const { operations } = doc
      failed()
      for (const operation of operations) requireTable(caps, tablesOf(doc, operation))
      for (const operation of operations) requireNoStructure(caps, operation)
      const rows = operations.reduce((sum, operation) => sum + rowsOf(operation), 0)
      requireRows(caps, rows)
      const { rowsPerHour } = caps
      if (rowsPerHour !== undefined && rows > 0)
        counted = keyWrites.count(`${caller.keyId ?? 0} ${docId}`, rows, rowsPerHour)
    },
  }
}

function requireTable({ tables }: KeyCaps, written: readonly string[]): void {
  if (!tables) return
  for (const table of written)
    if (!tables.includes(table))
      throw keyCapError('tables', `the API key must not write to table ${table}`)
}

/** Views belong to their tables. */
function tablesOf({ connection, schema }: Written, operation: Operation): readonly string[] {
  if (isSchema(operation) || operation.table !== VIEWS) return [operation.table]
  const refs = tablesOfViews(connection, operation)
  return refs.map((ref) => schema.findByRef(ref)?.tableId ?? VIEWS)
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
  return isMetadataTable(operation.table) && operation.table !== ATTACHMENTS
}

/** True for a change of structure that writes no rows. */
const isAddition = ({ kind, table }: Operation): boolean =>
  kind === 'add_table' || kind === 'add_column' || table === VIEWS

function rowsOf(operation: Operation): number {
  if (isSchema(operation) || operation.derived || operation.fired) return 0
  if (operation.table === VIEWS) return 0
  return operation.rowIds.length
}
