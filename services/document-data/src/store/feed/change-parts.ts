import { loggedCells } from '../../values/logged-cells'
import type {
  ColumnValues,
  LogEntry,
  LogValue,
  Operation,
  RowOperation,
  SchemaOperation,
} from '../log/log'

/*
 * Changes in the form in which they are sent: values as JSON. Threads send them as bytes, so that values need
 * not be parsed again.
 */

/** Target size of a part, by estimate; as JSON of the worst kind it is a few times larger. */
const PART_BYTES = 512 * 1024
/** Approximate sizes of a row id, and of a value that is not text. */
const NUMBER_BYTES = 8
const NOTHING = Buffer.alloc(0)

/** A column of a change of rows, its values as JSON; empty where there are none. */
export interface SendableColumn {
  readonly id: string
  readonly ref: number
  readonly old: Buffer
  readonly new: Buffer
}

/** A step of a change, its values as JSON. */
export type SendableOperation =
  | (Omit<RowOperation, 'columns'> & { readonly columns: readonly SendableColumn[] })
  | (Omit<SchemaOperation, 'old' | 'new' | 'cells'> & {
      readonly old: Buffer
      readonly new: Buffer
      /** The cells of a removed column, when requested. */
      readonly cells?: { readonly rowIds: number[]; readonly oldValuesJson: Buffer }
    })

/** A log entry, or a part of a large one. */
export interface ChangePart extends Omit<LogEntry, 'operations' | 'keyId'> {
  /** Absent below editor. */
  readonly keyId?: number | undefined
  readonly operations: readonly SendableOperation[]
  /** True when the next part is of the same entry. */
  readonly continued: boolean
}

/** A step of a change in the form in which it is sent; without former values unless `oldValues`. */
export function sendableOperation(
  operation: Operation,
  oldValues: boolean,
  removedCells = false,
): SendableOperation {
  if (!('rowIds' in operation)) {
    const { kind, table, tableRef, column, columnRef } = operation
    const old = oldValues ? json(operation.old) : NOTHING
    const cells = removedCells ? sendableCells(operation) : undefined
    return { kind, table, tableRef, column, columnRef, old, new: json(operation.new), cells }
  }
  const columns = operation.columns.map((column) => {
    const { id, ref, type, oldType = type, old, new: after } = column
    return {
      id,
      ref,
      old: oldValues && old ? loggedCells(oldType, old) : NOTHING,
      new: after ? loggedCells(type, after) : NOTHING,
    }
  })
  return { ...operation, columns }
}

function sendableCells({ cells, old }: SchemaOperation) {
  const { type } = (old ?? {}) as { readonly type?: string }
  if (!cells || type === undefined) return undefined
  return { rowIds: [...cells.rowIds], oldValuesJson: loggedCells(type, cells.values) }
}

function json(value: object | undefined): Buffer {
  return value === undefined ? NOTHING : Buffer.from(JSON.stringify(value))
}

/** Divides the steps of one log entry into parts of a bounded size, unless one row alone is larger. */
export class PartMaker {
  private operations: SendableOperation[] = []
  private bytes = 0

  constructor(
    private readonly entry: LogEntry,
    private readonly oldValues: boolean,
  ) {}

  /** Adds a step; returns the completed parts. */
  *add(operation: Operation): Generator<Buffer> {
    if (!('rowIds' in operation)) {
      yield* this.take(operation, NUMBER_BYTES)
      return
    }
    for (let from = 0; from < operation.rowIds.length;) {
      const { end, bytes } = this.measure(operation, from)
      yield* this.take(sliceRows(operation, from, end), bytes)
      from = end
    }
  }

  /** The last part. */
  end(): Buffer {
    return this.makePart(false)
  }

  private *take(operation: Operation, bytes: number): Generator<Buffer> {
    if (this.operations.length > 0 && this.bytes + bytes > PART_BYTES) yield this.makePart(true)
    const sendable = sendableOperation(operation, this.oldValues)
    this.operations.push(sendable)
    this.bytes += 'rowIds' in sendable ? bytes : sendable.old.length + sendable.new.length
  }

  private makePart(continued: boolean): Buffer {
    const { seq, time, user, cause, traceparent } = this.entry
    const keyId = this.oldValues ? this.entry.keyId : undefined
    const { operations } = this
    this.operations = []
    this.bytes = 0
    return packPart({ seq, time, user, keyId, cause, traceparent, operations, continued })
  }

  /** The last row of a part that begins with this one. */
  private measure({ rowIds, columns }: RowOperation, from: number) {
    let bytes = 0
    let end = from
    while (end < rowIds.length) {
      let row = NUMBER_BYTES
      for (const column of columns) {
        row += sizeOf(column.new?.[end])
        if (this.oldValues) row += sizeOf(column.old?.[end])
      }
      if (end > from && bytes + row > PART_BYTES) break
      bytes += row
      end++
    }
    return { end, bytes }
  }
}

function sizeOf(value: LogValue | undefined): number {
  if (value === undefined) return 0
  return typeof value === 'string' ? value.length : NUMBER_BYTES
}

/** A change of rows, restricted to some of its rows. */
export function sliceRows(operation: RowOperation, from: number, end: number): RowOperation {
  if (from === 0 && end === operation.rowIds.length) return operation
  const slice = ({ old, new: after, ...rest }: ColumnValues): ColumnValues => ({
    ...rest,
    ...(old && { old: old.slice(from, end) }),
    ...(after && { new: after.slice(from, end) }),
  })
  return {
    ...operation,
    rowIds: operation.rowIds.slice(from, end),
    columns: operation.columns.map(slice),
  }
}

/** In a packed part, the number of following bytes replaces the bytes. */
type Packed<T> = { [K in keyof T]: T[K] extends Buffer ? number : T[K] }

/** A part as bytes: the length of the head, the head as JSON, and the values one after the other. */
export function packPart({ operations, ...rest }: ChangePart): Buffer {
  const values: Buffer[] = []
  const pack = <T extends { old: Buffer; new: Buffer }>(holder: T): Packed<T> => {
    values.push(holder.old, holder.new)
    return { ...holder, old: holder.old.length, new: holder.new.length } as Packed<T>
  }
  const packed = operations.map((operation) =>
    'rowIds' in operation
      ? { ...operation, columns: operation.columns.map(pack) }
      : pack(operation),
  )
  const head = Buffer.from(JSON.stringify({ ...rest, operations: packed }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  return Buffer.concat([length, head, ...values])
}

/** Unpacks a part; its values are views of the bytes. */
export function unpackPart(bytes: Buffer): ChangePart {
  let at = 4 + bytes.readUInt32LE()
  const part = JSON.parse(bytes.toString('utf8', 4, at)) as ChangePart
  const take = (length: unknown) => bytes.subarray(at, (at += length as number))
  const unpack = <T extends { old: Buffer; new: Buffer }>(holder: T): T => {
    const old = take(holder.old)
    return { ...holder, old, new: take(holder.new) }
  }
  return {
    ...part,
    operations: part.operations.map((operation) =>
      'rowIds' in operation
        ? { ...operation, columns: operation.columns.map(unpack) }
        : unpack(operation),
    ),
  }
}
