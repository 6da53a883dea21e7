import type { DocumentReader } from '../../src/store/document'
import { wholeMetadata } from '../../src/store/schema/column-metadata'

/**
 * Metadata as they are, by the refs of table and column, `<tableRef>:<colRef>`; those of the table itself
 * have the column ref 0.
 */
export function presentColumns({ schema }: DocumentReader): Map<string, Record<string, unknown>> {
  const all = new Map<string, Record<string, unknown>>()
  for (const { columns, byId: _, ref, ...table } of schema.tables) {
    all.set(`${ref}:0`, table)
    for (const column of columns)
      all.set(`${ref}:${column.ref}`, { colRef: column.ref, ...wholeMetadata(column) })
  }
  return all
}
