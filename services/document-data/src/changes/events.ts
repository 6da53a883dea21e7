import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import {
  type ColumnChange,
  type Operation as WireOperation,
} from '@sheaf/protos/sheaf/events/v1/changes'
import type { LogEntry, LogValue, Operation, RowOperation, SchemaOperation } from '../store/log'
import { columnType } from '../values/column-types'

const NOTHING = Buffer.alloc(0)

/** How an entry of the log becomes an event. */
export interface EventOptions {
  readonly docId: string
  /** False to leave out what the cells held before. */
  readonly oldValues: boolean
  /** True for what the cells of removed columns held, too. */
  readonly removedCells?: boolean
}

/** The event of a log entry. The same entry always gives the same bytes, so that a repetition can be recognised. */
export function createEvent(entry: LogEntry, options: EventOptions): ChangeEvent {
  return {
    docId: options.docId,
    seq: entry.seq,
    timeMs: entry.time,
    userId: entry.user,
    // The log numbers causes as the wire does.
    cause: entry.cause,
    traceparent: entry.traceparent,
    operations: (entry.operations ?? []).map((operation) => createOperation(operation, options)),
    truncated: entry.operations === undefined,
  }
}

const rowCases = {
  add_rows: 'addRows',
  update_rows: 'updateRows',
  remove_rows: 'removeRows',
} as const

function createOperation(operation: Operation, options: EventOptions): WireOperation {
  const { oldValues } = options
  if ('rowIds' in operation)
    return {
      operation: {
        $case: rowCases[operation.kind],
        value: {
          tableId: operation.table,
          tableRef: operation.tableRef,
          rowIds: [...operation.rowIds],
          columns: operation.columns.map((column) => createColumn(column, oldValues)),
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
        oldJson: oldValues ? createJson(operation.old) : NOTHING,
        newJson: createJson(operation.new),
        ...(options.removedCells ? createRemovedCells(operation) : NO_CELLS),
      },
    },
  }
}

const NO_CELLS = { rowIds: [], oldValuesJson: NOTHING }

function createRemovedCells({ cells, old }: SchemaOperation) {
  const { type } = (old ?? {}) as { type?: string }
  if (!cells || type === undefined) return NO_CELLS
  return { rowIds: [...cells.rowIds], oldValuesJson: createCells(type, cells.values) }
}

function createColumn(column: RowOperation['columns'][number], oldValues: boolean): ColumnChange {
  const { old, new: after, type, oldType = type } = column
  return {
    colId: column.id,
    colRef: column.id === 'manualSort' ? 0 : column.ref,
    oldValuesJson: oldValues && old ? createCells(oldType, old) : NOTHING,
    newValuesJson: after ? createCells(type, after) : NOTHING,
  }
}

function createCells(typeName: string, values: readonly LogValue[]): Buffer {
  const type = columnType(typeName)
  // Text and most numbers are stored as they read.
  const plain = type.storage === 'text' || (type.storage === 'number' && type.name !== 'Bool')
  return createJson(plain ? values : values.map((value) => type.fromStored(storedValue(value))))
}

/** The log writes whole numbers without their kind; on disk safe ones are integers. */
function storedValue(value: LogValue): LogValue | bigint {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}

function createJson(value: unknown): Buffer {
  return value === undefined ? NOTHING : Buffer.from(JSON.stringify(value))
}
