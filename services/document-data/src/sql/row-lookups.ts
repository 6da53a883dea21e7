import type { Schema } from '../store/schema/schema'
import { createJsonResult } from './json-result'
import { batchRows, ResultTooLarge } from './result-batches'
import { SqlFile } from './sql-file'
import type { SqlMoment, SqlRequest } from './sql-messages'
import { readRowLookup, StatementError } from './statement'

/** Files that are open at once, and for how long after their last use, in milliseconds. */
const MAX_FILES = 16
const KEEP_MS = 1_000
/** A document with more columns is left to the processes: opening its file, and whatever follows a change of its schema, takes too long. */
const MAX_COLUMNS = 500
/** A larger row is left to them as well. */
const ROW_LIMITS = { maxRows: 1, maxBytes: 64 * 1024 }

/** A document whose file is read. */
export interface LookedUpDocument {
  readonly path: string
  /** Another object after the document was closed, which precedes any replacement of its file. */
  readonly opening: object
  readonly schema: Schema
}

/** The complete result of a lookup, as the REST document. */
export interface LookupResult {
  readonly moment: SqlMoment
  readonly bytes: Buffer
}

interface OpenFile {
  readonly file: SqlFile
  readonly opening: object
  usedAt: number
}

/**
 * Runs statements of callers in this process that can only look up one row by its id: this takes less time than a message
 * to another process. Such a statement consists of names and an id (`readRowLookup`), so that compiling it is short, and it
 * runs only if its compiled program has no loop. All else is left to the processes of SqlPool, as is whatever fails here.
 */
export class RowLookups implements Disposable {
  /** By path, the least recently used first. */
  private readonly files = new Map<string, OpenFile>()
  private readonly sizes = new WeakMap<Schema, number>()
  private timer: NodeJS.Timeout | undefined

  /** Number of open files. */
  get size(): number {
    return this.files.size
  }

  /** Returns the result of a statement, or undefined when a process must run it. */
  run(
    document: LookedUpDocument,
    { sql, args, format }: Pick<SqlRequest, 'sql' | 'args' | 'format'>,
  ): LookupResult | undefined {
    const { path } = document
    const lookup = format === undefined ? readRowLookup(sql, args) : undefined
    if (!lookup || this.countColumns(document.schema) > MAX_COLUMNS) return undefined
    try {
      const file = this.open(document)
      try {
        const moment = file.begin()
        const { columns, run } = file.select(lookup.sql, lookup.args)
        const writer = createJsonResult(sql, columns)
        const parts = [...batchRows(run(false), ROW_LIMITS)].flatMap((rows) => writer.write(rows))
        return { moment, bytes: Buffer.concat([...parts, ...writer.finish()]) }
      } finally {
        file.end()
      }
    } catch (error) {
      if (!isOfStatement(error)) this.close(path)
      return undefined
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.timer)
    for (const path of [...this.files.keys()]) this.close(path)
  }

  private open({ path, opening }: LookedUpDocument): SqlFile {
    const known = this.files.get(path)
    const isUsable = known?.opening === opening
    if (known && !isUsable) this.close(path)
    const file = known && isUsable ? known.file : SqlFile.open(path, 'lookups')
    this.files.delete(path)
    this.files.set(path, { file, opening, usedAt: performance.now() })
    const oldest = this.files.keys().next()
    if (this.files.size > MAX_FILES && !oldest.done) this.close(oldest.value)
    this.timer ??= setTimeout(() => this.closeUnused(), KEEP_MS).unref()
    return file
  }

  private close(path: string): void {
    const open = this.files.get(path)
    this.files.delete(path)
    open?.file.close()
  }

  private closeUnused(): void {
    const before = performance.now() - KEEP_MS
    for (const [path, { usedAt }] of this.files) if (usedAt <= before) this.close(path)
    this.timer =
      this.files.size > 0 ? setTimeout(() => this.closeUnused(), KEEP_MS).unref() : undefined
  }

  private countColumns(schema: Schema): number {
    const known = this.sizes.get(schema)
    if (known !== undefined) return known
    const size = schema.tables.reduce((sum, { columns }) => sum + columns.length, 0)
    this.sizes.set(schema, size)
    return size
  }
}

/** True for errors after which the connection can be used. */
function isOfStatement(error: unknown): boolean {
  return (
    error instanceof StatementError ||
    error instanceof ResultTooLarge ||
    (error as { code?: unknown }).code === 'SQLITE_ERROR'
  )
}
