import type { Connection } from './sqlite/connections'
import type { IndexUse } from './indexes/index-use'
import type { Operation } from './log/log'
import { readSchema, type Schema } from './schema/schema'

/** Refuses the result of an asynchronous callback: what runs through a door runs in one go. */
export type Synchronous<T> = T extends PromiseLike<unknown> ? never : unknown

/** A document at one moment. Good only until the callback that got it returns. */
export interface DocumentReader {
  readonly docId: string
  readonly connection: Connection
  readonly schema: Schema
  /** Position of the latest log entry. */
  readonly seq: number
}

/** What a write answers. */
export interface Written<T> {
  readonly result: T
  /** Position of its log entry; of the latest one when nothing changed. */
  readonly seq: number
}

/** A document within the transaction of one write. What changes it also records what it changed. */
export class DocumentWriter implements DocumentReader {
  /** What was done so far, for the log. */
  readonly operations: Operation[] = []
  /** The indexes that a look-up may use; none for a document that is not open yet. */
  indexes?: IndexUse
  private current: Schema | undefined

  constructor(
    readonly docId: string,
    readonly connection: Connection,
    schema: Schema,
    readonly seq: number,
  ) {
    this.current = schema
  }

  /** The form of the document, with the changes of this write. */
  get schema(): Schema {
    return (this.current ??= readSchema(this.connection))
  }

  /** Position of the log after this write, as far as it has come: one more when it has changed something. */
  get nextSeq(): number {
    return this.operations.length > 0 ? this.seq + 1 : this.seq
  }

  /** Adds a step to the log entry of this write. */
  record(operation: Operation): void {
    this.operations.push(operation)
  }

  /** Must follow every change of tables, columns or their metadata. */
  schemaChanged(): void {
    this.current = undefined
    this.connection.forget()
  }
}
