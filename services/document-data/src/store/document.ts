import type { Connection } from './sqlite/connections'
import type { IndexUse } from './indexes/index-use'
import type { LogEntry, Operation } from './log/log'
import type { Reply } from './log/replies'
import { readSchema, type Schema } from './schema/schema'

/** Rejects the result of an asynchronous callback: reads and writes run synchronously. */
export type Synchronous<T> = T extends PromiseLike<unknown> ? never : unknown

/** Takes the function to call when a read outside of this process has to end; it is called once at most. */
export type OnRevoked = (revoke: (reason: Error) => void) => void

/** A document at one moment. Valid only until the callback that received it returns. */
export interface DocumentReader {
  readonly docId: string
  readonly connection: Connection
  readonly schema: Schema
  /** Position of the latest log entry. */
  readonly seq: number
}

/** The result of a write. */
export interface Written<T> {
  readonly result: T
  /** Position of its log entry, or of the latest one when nothing changed. */
  readonly seq: number
  /** Of a write that is not kept. */
  readonly preview?: Preview
}

interface Preview {
  /** The entry that it would have added to the log, with what is derived; undefined when it would change nothing. */
  readonly entry: LogEntry | undefined
  /** As the write would have left it. */
  readonly schema: Schema
}

/**
 * How trigger formulas see an operation on rows. `added`: rows with values for the columns with these refs; `changed`: by
 * a user; `followed`: because of another change.
 */
export type Writing =
  | { readonly kind: 'added'; readonly given: ReadonlySet<number> }
  | { readonly kind: 'changed' | 'followed' }

/** A document within the transaction of one write. Every change must also be recorded. */
export class DocumentWriter implements DocumentReader {
  /** The operations so far, for the log. */
  readonly operations: Operation[] = []
  /** The operations that run trigger formulas; those of an undo or a conversion do not. */
  readonly writings = new Map<Operation, Writing>()
  /** Bytes of replaced values in these operations, as far as changes of tables and columns have measured. */
  replacedBytes = 0
  /** The indexes that a look-up may use; undefined for a document that is not open yet. */
  indexes?: IndexUse
  /** The reply to this write that is stored with it, if it has an idempotency key. */
  reply?: Reply
  /** True when formulas are not computed yet for earlier writes of the same transaction. */
  isBehind = false
  /** Replies of earlier writes that are not stored yet. */
  earlierReplies: readonly Reply[] = []
  private current: Schema | undefined

  constructor(
    readonly docId: string,
    readonly connection: Connection,
    schema: Schema,
    readonly seq: number,
  ) {
    this.current = schema
  }

  /** The schema of the document, including the changes of this write. */
  get schema(): Schema {
    return (this.current ??= readSchema(this.connection))
  }

  /** Log position after this write: one more if it has changed anything so far. */
  get nextSeq(): number {
    return this.operations.length > 0 ? this.seq + 1 : this.seq
  }

  /** Adds an operation to the log entry of this write; trigger formulas see it as `writing`, if given. */
  record(operation: Operation, writing?: Writing): void {
    this.operations.push(operation)
    if (writing) this.writings.set(operation, writing)
  }

  /** Must follow every change of tables, columns or their metadata. */
  schemaChanged(): void {
    this.current = undefined
    this.connection.forget()
  }
}
