import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { type Operation as WireOperation } from '@sheaf/protos/sheaf/events/v1/changes'
import {
  sendableOperation,
  type ChangePart,
  type SendableOperation,
} from '../store/feed/change-parts'
import type { LogEntry } from '../store/log/log'

/** Options for converting a log entry to an event. */
export interface EventOptions {
  readonly docId: string
  /** False to omit the previous values of cells. */
  readonly oldValues: boolean
  /** True to include the cells of removed columns. */
  readonly removedCells?: boolean
}

/**
 * Converts a log entry to an event. The bytes are deterministic, so that repeated events can be deduplicated.
 */
export function createEvent(
  { operations, ...entry }: LogEntry,
  { docId, oldValues, removedCells }: EventOptions,
): ChangeEvent {
  if (!operations) return { ...partEvent({ ...entry, operations: [] }, docId), truncated: true }
  const sendable = operations.map((operation) =>
    sendableOperation(operation, oldValues, removedCells),
  )
  return partEvent({ ...entry, operations: sendable }, docId)
}

/** Builds the event of a log entry, or of part of one, from values that are already encoded. */
export function partEvent(
  { operations, ...entry }: Omit<ChangePart, 'continued'>,
  docId: string,
): ChangeEvent {
  return {
    docId,
    seq: entry.seq,
    timeMs: entry.time,
    userId: entry.user,
    keyId: entry.keyId,
    // Causes have the same numbers in the log and in the protocol.
    cause: entry.cause,
    traceparent: entry.traceparent,
    operations: operations.map(createOperation),
    truncated: false,
  }
}

const rowCases = {
  add_rows: 'addRows',
  update_rows: 'updateRows',
  remove_rows: 'removeRows',
} as const

const NO_CELLS = { rowIds: [], oldValuesJson: Buffer.alloc(0) }

function createOperation(operation: SendableOperation): WireOperation {
  if ('rowIds' in operation)
    return {
      operation: {
        $case: rowCases[operation.kind],
        value: {
          tableId: operation.table,
          tableRef: operation.tableRef,
          rowIds: [...operation.rowIds],
          columns: operation.columns.map((column) => ({
            colId: column.id,
            colRef: column.id === 'manualSort' ? 0 : column.ref,
            oldValuesJson: column.old,
            newValuesJson: column.new,
          })),
        },
      },
    }
  return {
    operation: {
      $case: 'schema',
      value: {
        kind: operation.kind,
        tableId: operation.table,
        tableRef: operation.tableRef,
        colId: operation.column,
        colRef: operation.columnRef,
        oldJson: operation.old,
        newJson: operation.new,
        ...(operation.cells ?? NO_CELLS),
      },
    },
  }
}
