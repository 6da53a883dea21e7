import type { DocumentWriter } from '../document'
import type { Operation } from '../log/log'
import type { Table } from '../schema/schema'

/** Thrown when a document is not in the state to which an operation applied. Names no values. */
export class RedoError extends Error {
  override readonly name = 'RedoError'
  /** Callers learn that the document is damaged: its file and its log do not belong together. */
  readonly code = 'LOG_DAMAGED'
}

/** The table of an operation. Throws RedoError. */
export function requireTable({ schema }: DocumentWriter, { tableRef, kind }: Operation): Table {
  const table = schema.findByRef(tableRef)
  if (!table) throw new RedoError(`${kind}: there is no table with ref ${tableRef}`)
  return table
}
