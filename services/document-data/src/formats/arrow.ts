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

/** Cells of one record batch at most, so that no batch takes long to make. */
const MAX_CELLS = 16_384

type KnownColumn = WrittenColumn & { readonly kind: ColumnKind }

/**
 * Writes rows as an Arrow IPC stream. When every column has a kind, rows are written as they come, and all values must be
 * of the kind of their column. Else rows are kept until the end, since the schema comes first and nothing but all values
 * tells it: whoever writes such rows has to bound them. No two columns have the same name.
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

/** Collects what Arrow's writer writes, where that waits for somebody to take it. */
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

  /** What was written since the last call. */
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

  /** The rows as record batches of bounded size; the schema goes before the first one. */
  *batches(rows: readonly Row[]): Generator<Buffer> {
    for (let start = 0; start < rows.length; start += this.batchRows)
      yield this.batch(rows.slice(start, start + this.batchRows))
  }

  /** What ends the stream, after the schema where no batch was written. */
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
    // A batch that does not fit its schema would end the stream, and nobody would be told.
    if (this.bytes.isClosed) throw new Error('the schema of a record batch differs from its stream')
    return bytes
  }
}
