import type { DocumentReader } from '../document'
import { findEntry, type LogValue, type RowOperation } from '../log/log'
import { listSizedEntries } from '../log/sized-entries'

/** Later entries of the log among which those are searched that concern the table, … */
const MAX_ENTRIES = 100_000
/** … and bytes of their operations. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Cells that later entries of the log concern, with the value that they had before or that a trigger formula gave them
 * since; undefined where somebody gave a value to a row that was added.
 */
export type LaterCells = ReadonlyMap<number, LogValue | undefined>

/** A column after an entry of the log. */
export interface LaterColumn {
  readonly after: number
  readonly tableRef: number
  readonly columnRef: number
  /** True for the value of a cell that nobody has written. */
  readonly isBlank: (value: LogValue) => boolean
}

/** What the log says of the cells of a column after an entry; undefined when there is too much to read. */
export function findLaterCells(
  { connection, seq: latest }: DocumentReader,
  { after, tableRef, columnRef, isBlank }: LaterColumn,
): LaterCells | undefined {
  if (latest - after > MAX_ENTRIES) return undefined
  const listed = listSizedEntries(connection, { from: after + 1, before: latest + 1, tableRef })
  if (listed.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) return undefined
  const cells = new Map<number, LogValue | undefined>()
  const isUnwritten = (id: number, value: LogValue) => {
    const kept = cells.get(id)
    return !cells.has(id) || (kept === undefined ? isBlank(value) : kept === value)
  }
  const follow = ({ rowIds, columns, fired }: RowOperation) => {
    const column = columns.find(({ ref }) => ref === columnRef)
    const { old, new: given } = column ?? {}
    if (column)
      rowIds.forEach((id, index) => {
        const before = old ? (old[index] ?? null) : undefined
        if (fired && before !== undefined && isUnwritten(id, before))
          cells.set(id, given?.[index] ?? null)
        else if (!cells.has(id)) cells.set(id, before)
      })
  }
  for (const { seq } of listed.reverse())
    for (const operation of findEntry(connection, seq, MAX_BYTES)?.operations ?? [])
      if ('rowIds' in operation && operation.tableRef === tableRef) follow(operation)
  return cells
}
