import { quoteId } from '../quoting/quote'
import { requireRow, type Connection } from '../store/sqlite/connections'
import type { Schema } from '../store/schema/schema'
import type { DirtyCells, DirtyColumn } from './dependencies/dirty-cells'
import { columnsOf, isTrigger } from './dependencies/formula-columns'
import type { DirtyMessage } from './exchange/messages'

/** A formula that exceeds the time limit for so few rows is stopped; for more, fewer are tried. */
export const FEW_ROWS = 8
/** Milliseconds that a cell of a trigger column may take in a write of many rows, … */
const TRIGGER_CELL_MS = 0.1
/** … and that trigger formulas have in any case: the transaction is open for so long. */
const MAX_TRIGGER_MS = 15_000

/** Above every row id. */
export const LAST_ROW = Number.MAX_SAFE_INTEGER

/** The dirty cells to compute now: of rows that exist, not those that are pending or of stopped formulas. */
export function requestCells(connection: Connection, { columns }: DirtyCells): DirtyMessage[] {
  const messages: DirtyMessage[] = []
  // Cells of trigger columns cannot wait when the time of a write is over, so they come first.
  const ordered = [...columns].sort(
    ([, a], [, b]) => Number(isTrigger(b.of)) - Number(isTrigger(a.of)),
  )
  for (const [ref, dirty] of ordered) {
    const { column } = dirty.of
    if (column.stopped) continue
    const upTo = column.pendingAfter ?? LAST_ROW
    if (dirty.all !== undefined) {
      if (upTo > 0 && hasRows(connection, dirty, upTo)) messages.push({ ref, from: 1, to: upTo })
      continue
    }
    const rows = existing(connection, dirty, upTo)
    const conditional = !isTrigger(dirty.of) ? [] : rows.filter((row) => !dirty.fired.has(row))
    if (rows.length > 0)
      messages.push({ ref, rows, ...(conditional.length > 0 && { conditional }) })
  }
  return messages
}

/** The number of dirty cells to compute now; of rows given by id, those that do not exist count as well. */
export function countCells(connection: Connection, { of, all, rows }: DirtyColumn): number {
  if (of.column.stopped) return 0
  const upTo = of.column.pendingAfter ?? LAST_ROW
  if (all === undefined) return [...rows.keys()].filter((row) => row <= upTo).length
  return requireRow(
    connection
      .pluck<number>(`SELECT count(*) FROM ${quoteId(of.table.tableId)} WHERE id <= ?`)
      .get(upTo),
  )
}

function hasRows(connection: Connection, { of }: DirtyColumn, upTo: number): boolean {
  return (
    connection
      .pluck(`SELECT EXISTS (SELECT 1 FROM ${quoteId(of.table.tableId)} WHERE id <= ?)`)
      .get(upTo) === 1
  )
}

function existing(connection: Connection, { of, rows }: DirtyColumn, upTo: number): number[] {
  return connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(of.table.tableId)}
       WHERE id IN (SELECT value FROM json_each(?)) AND id <= ? ORDER BY id`,
    )
    .all(JSON.stringify([...rows.keys()]), upTo)
}

/** Milliseconds for the cells of trigger columns, which should be computed with their write. */
export function triggerMs(dirty: readonly DirtyMessage[], schema: Schema): number {
  const { byRef } = columnsOf(schema)
  const cells = dirty.reduce((sum, message) => {
    const of = byRef.get(message.ref)
    return of && isTrigger(of) && 'rows' in message ? sum + message.rows.length : sum
  }, 0)
  return Math.min(MAX_TRIGGER_MS, cells * TRIGGER_CELL_MS)
}
