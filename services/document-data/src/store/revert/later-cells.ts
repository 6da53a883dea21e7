import type { DocumentReader } from '../document'
import { findEntry, type LogValue, type Operation } from '../log/log'
import { listSizedEntries } from '../log/sized-entries'

/** Later entries of the log among which those are searched that concern the table, … */
const MAX_ENTRIES = 100_000
/** … and bytes of their operations. */
const MAX_BYTES = 32 * 1024 * 1024

/** Cells that later entries of the log concern: with the value before the first of these, undefined in added rows. */
export type LaterCells = ReadonlyMap<number, LogValue | undefined>

/** What the log says of the cells of a column after an entry; undefined when there is too much to read. */
export function findLaterCells(
  { connection, seq: latest }: DocumentReader,
  after: number,
  {
    tableRef,
    columnRef,
  }: Pick<Extract<Operation, { columnRef: number }>, 'tableRef' | 'columnRef'>,
): LaterCells | undefined {
  if (latest - after > MAX_ENTRIES) return undefined
  const listed = listSizedEntries(connection, { from: after + 1, before: latest + 1, tableRef })
  if (listed.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) return undefined
  const cells = new Map<number, LogValue | undefined>()
  for (const { seq } of listed.reverse())
    for (const operation of findEntry(connection, seq, MAX_BYTES)?.operations ?? [])
      if ('rowIds' in operation && operation.tableRef === tableRef)
        for (const { ref, old } of operation.columns)
          if (ref === columnRef)
            operation.rowIds.forEach((id, index) => {
              if (!cells.has(id)) cells.set(id, old ? (old[index] ?? null) : undefined)
            })
  return cells
}
