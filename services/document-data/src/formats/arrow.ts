import {
  AsyncByteQueue,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  type DataType,
  type Field,
} from 'apache-arrow'
import { arrowData, arrowField } from './arrow-vectors'
import { KindFinder } from './column-kinds'
import type { ColumnKind, Row, RowWriter, WrittenColumn } from './row-writer'

/** Maximum number of cells per record batch, which bounds the time to build one. */
const MAX_CELLS = 16_384

type KnownColumn = WrittenColumn & { readonly kind: ColumnKind }

/**
 * Writes rows as an Arrow IPC stream. If every column has a kind, rows are streamed, and all values must
 * match the kind of their column. Otherwise rows are buffered until the end, because the schema precedes them
 * and can only be inferred from all values; the caller must then bound their number. Column names must be
 * unique.
 */
export function createArrowWriter(columns: readonly WrittenColumn[]): RowWriter {
  return columns.every(isKnown) ? knownWriter(columns) : findingWriter(columns)
}

function isKnown(column: WrittenColumn): column is KnownColumn {
  return column.kind !== undefined
}

function knownWriter(columns: readonly KnownColumn[]): RowWriter {
  const stream = new ArrowStream(columns)
  return {
    write: (rows) => [...stream.batches(rows)],
    finish: () => [stream.end()],
  }
}

function findingWriter(columns: readonly WrittenColumn[]): RowWriter {
  const finder = new KindFinder(columns.length)
  const kept: Row[] = []
  return {
    write(rows) {
      finder.see(rows)
      for (const row of rows) kept.push(row)
      return []
    },
    *finish() {
      const kinds = finder.kinds()
      const stream = new ArrowStream(
        columns.map((column, i) => ({ ...column, kind: column.kind ?? kinds[i] ?? 'null' })),
      )
      yield* stream.batches(kept)
      yield stream.end()
    },
  }
}

/** Collects the output of Arrow's writer without its backpressure. */
class CollectedBytes extends AsyncByteQueue<Uint8Array> {
  isClosed = false
  private parts: Uint8Array[] = []

  override close(): void {
    this.isClosed = true
    super.close()
  }

  override write(part: Uint8Array): void {
    this.parts.push(part)
  }

  /** Returns the output since the last call. */
  take(): Buffer {
    const { parts } = this
    this.parts = []
    return Buffer.concat(parts)
  }
}

class ArrowStream {
  private readonly bytes = new CollectedBytes()
  private readonly writer = new RecordBatchStreamWriter()
  private readonly schema: Schema<Record<string, DataType>>
  private readonly struct: Struct
  private readonly batchRows: number

  constructor(private readonly columns: readonly KnownColumn[]) {
    const fields: Field<DataType>[] = columns.map(arrowField)
    this.schema = new Schema(fields)
    this.struct = new Struct(fields)
    this.batchRows = Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns.length)))
    this.writer.reset(this.bytes, this.schema)
  }

  /** Encodes the rows as record batches of bounded size, preceded by the schema before the first one. */
  *batches(rows: readonly Row[]): Generator<Buffer> {
    for (let start = 0; start < rows.length; start += this.batchRows)
      yield this.batch(rows.slice(start, start + this.batchRows))
  }

  /** Ends the stream; writes the schema first if no batch was written. */
  end(): Buffer {
    this.writer.finish()
    return this.bytes.take()
  }

  private batch(rows: readonly Row[]): Buffer {
    const children = this.columns.map(({ kind }, place) => {
      const field = this.schema.fields[place]
      if (!field) throw new Error('a column has no field')
      return arrowData(
        field,
        kind,
        rows.map((row) => row[place] ?? null),
      )
    })
    const data = makeData({ type: this.struct, length: rows.length, nullCount: 0, children })
    this.writer.write(new RecordBatch(this.schema, data))
    const bytes = this.bytes.take()
    // Arrow's writer would silently end the stream at a batch that does not match the schema.
    if (this.bytes.isClosed) throw new Error('the schema of a record batch differs from its stream')
    return bytes
  }
}
