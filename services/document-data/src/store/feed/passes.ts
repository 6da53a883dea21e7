import type { LogEntry, Operation, RowOperation } from '../log/log'
import { sliceRows } from './change-parts'

/** Maximum rows read in one pass. */
const PASS_ROWS = 5_000

/** Tells which changes of rows are completed with rows that have to be read. */
export type Rebuilds = (operation: Operation) => operation is RowOperation

/** The second half of the pieces, and the first; undefined when there is only one row. */
export function halve(pass: Piece[]): [Piece[], Piece[]] | undefined {
  if (pass.length > 1) {
    const middle = pass.length >> 1
    return [pass.slice(middle), pass.slice(0, middle)]
  }
  const [piece] = pass
  if (!piece?.rebuilt || !piece.operation || !('rowIds' in piece.operation)) return undefined
  const { operation } = piece
  const { length } = operation.rowIds
  if (length < 2) return undefined
  const part = (from: number, end: number) => [
    { ...piece, operation: sliceRows(operation, from, end) },
  ]
  return [part(length >> 1, length), part(0, length >> 1)]
}

/** An operation of an entry, or some rows of it. */
export interface Piece {
  readonly entry: LogEntry
  /** Undefined at the end of the entry. */
  readonly operation?: Operation
  /** The operation whose rows must be rebuilt. */
  readonly rebuilt?: RowOperation
}

/**
 * Pieces in order, in groups that can be rebuilt in one pass; an entry is divided only if it exceeds one
 * group.
 */
export function* passes(entries: readonly LogEntry[], rebuilds: Rebuilds): Generator<Piece[]> {
  let pass: Piece[] = []
  let rows = 0
  for (const entry of entries) {
    if (rows > 0 && rows + countRebuilt(entry, rebuilds) > PASS_ROWS) {
      yield pass
      pass = []
      rows = 0
    }
    for (const operation of entry.operations ?? []) {
      if (!rebuilds(operation)) {
        pass.push({ entry, operation })
        continue
      }
      for (let from = 0; from < operation.rowIds.length;) {
        if (rows === PASS_ROWS) {
          yield pass
          pass = []
          rows = 0
        }
        const end = Math.min(operation.rowIds.length, from + PASS_ROWS - rows)
        pass.push({ entry, operation: sliceRows(operation, from, end), rebuilt: operation })
        rows += end - from
        from = end
      }
    }
    pass.push({ entry })
  }
  yield pass
}

function countRebuilt({ operations = [] }: LogEntry, rebuilds: Rebuilds): number {
  return operations.filter(rebuilds).reduce((sum, { rowIds }) => sum + rowIds.length, 0)
}
