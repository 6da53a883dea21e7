import { AppError } from '@sheaf/kit/errors'
import { quoteId } from '../../quoting/quote'
import { attachmentsType } from '../../values/column-types/attachments'
import { requireRow, type Connection } from '../sqlite/connections'
import type { DocumentReader } from '../document'
import type { DocumentAccess } from '../document-access'
import { parseTables, readEntries, readOldestSeq, type LogValue } from '../log/log'
import type { Column, Schema, Table } from '../schema/schema'

/** Rows examined in one turn of the event loop. */
const ROWS_AT_ONCE = 1000
/** Log entries, and bytes of them, examined for later changes; beyond these, all cells are examined again. */
const MAX_ENTRIES = 5000
const MAX_ENTRY_BYTES = 4 * 1024 * 1024
/** Attempts to examine everything while the document keeps changing. */
const ATTEMPTS = 5

/** Thrown when the document has changed so that all of it has to be examined again. */
class OutdatedError extends Error {}

/** A table with columns of attachments. */
interface Place {
  readonly table: Table
  readonly columns: readonly Column[]
}

/**
 * Which attachments the cells of a document refer to. The search runs in short steps while the document keeps
 * changing; changes after the first step are taken from the log.
 */
export class AttachmentUse {
  private readonly used = new Set<number>()
  private readonly refs: ReadonlySet<number>

  private constructor(
    private readonly schema: Schema,
    private readonly places: readonly Place[],
    private seq: number,
  ) {
    this.refs = new Set(places.map(({ table }) => table.ref))
  }

  /** Examines all cells of a document. */
  private static async find(
    access: DocumentAccess,
    docId: string,
    signal: AbortSignal,
  ): Promise<AttachmentUse> {
    const { schema, seq } = access.read(docId, ({ schema, seq }) => ({ schema, seq }))
    const use = new AttachmentUse(schema, findPlaces(schema), seq)
    for (const place of use.places) {
      let after: number | null = Number.MIN_SAFE_INTEGER
      while (after !== null) {
        signal.throwIfAborted()
        const from: number = after
        after = access.read<number | null>(docId, (doc) => use.look(doc, place, from))
        await nextTurn()
      }
    }
    return use
  }

  /**
   * Runs `work` with the result. Starts over when `catchUp` finds, during `work`, that the document has
   * changed too much; what `work` has done by then must be valid nevertheless. Throws `unavailable` when that
   * happens repeatedly.
   */
  static async with<T>(
    { access, docId, signal }: { access: DocumentAccess; docId: string; signal: AbortSignal },
    work: (use: AttachmentUse) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(await AttachmentUse.find(access, docId, signal))
      } catch (error) {
        if (!(error instanceof OutdatedError)) throw error
        if (attempt >= ATTEMPTS)
          throw new AppError('unavailable', 'DOCUMENT_BUSY', 'the document is changing too much')
      }
    }
  }

  /** Reads later changes. Must precede `has`, in the same turn of the event loop. */
  catchUp({ connection, schema, seq }: DocumentReader): void {
    if (schema !== this.schema) throw new OutdatedError('the document has another form')
    if (seq === this.seq) return
    for (const entry of this.changedSince(connection)) this.learn(connection, entry)
    this.seq = seq
  }

  /** True when a cell refers to the attachment, or did so until recently. */
  has(id: number): boolean {
    return this.used.has(id)
  }

  /** Examines the next rows; returns the last of them, or null at the end. */
  private look(doc: DocumentReader, { table, columns }: Place, after: number): number | null {
    if (doc.schema !== this.schema) throw new OutdatedError('the document has another form')
    const { connection } = doc
    const from = quoteId(table.tableId)
    const last = requireRow(
      connection
        .pluck<number | null>(
          `SELECT max(id) FROM (SELECT id FROM ${from} NOT INDEXED WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE})`,
        )
        .get(after),
    )
    if (last === null) return null
    for (const column of columns) {
      const cell = `t.${quoteId(column.id)}`
      const list = `CASE WHEN ${cell} >= '[' AND ${cell} < '\\' AND json_valid(${cell}) THEN ${cell} ELSE '[]' END`
      const ids = connection
        .pluck(
          `SELECT DISTINCT j.value FROM ${from} t NOT INDEXED, json_each(${list}) j
           WHERE t.id > ? AND t.id <= ?`,
        )
        .all(after, last)
      for (const id of ids) if (typeof id === 'number') this.used.add(id)
    }
    return last
  }

  /** Later entries of the log that concern these tables. */
  private changedSince(connection: Connection): number[] {
    if (readOldestSeq(connection) > this.seq + 1) throw new OutdatedError('the log was cut')
    const entries = connection
      .raw<[number, string, number]>(
        `SELECT seq, tables, octet_length(operations) FROM _sheaf_log
         WHERE seq > ? ORDER BY seq LIMIT ${MAX_ENTRIES + 1}`,
      )
      .all(this.seq)
    if (entries.length > MAX_ENTRIES) throw new OutdatedError('too much was written')
    const concerned = entries.filter(([seq, tables]) =>
      parseTables(tables, seq).some((ref) => this.refs.has(ref)),
    )
    const bytes = concerned.reduce((sum, [, , size]) => sum + size, 0)
    if (bytes > MAX_ENTRY_BYTES) throw new OutdatedError('too much was written')
    return concerned.map(([seq]) => seq)
  }

  private learn(connection: Connection, seq: number): void {
    const range = { after: seq - 1, upTo: seq, maxBytes: MAX_ENTRY_BYTES }
    for (const { operations = [] } of readEntries(connection, range))
      for (const operation of operations)
        if ('rowIds' in operation)
          for (const { type, new: values = [] } of operation.columns)
            if (type === attachmentsType.name) values.forEach((value) => this.note(value))
  }

  private note(value: LogValue): void {
    if (typeof value !== 'string' || !value.startsWith('[')) return
    for (const id of JSON.parse(value) as unknown[]) if (typeof id === 'number') this.used.add(id)
  }
}

function findPlaces(schema: Schema): Place[] {
  return schema.tables
    .map((table) => ({
      table,
      columns: table.columns.filter(({ type }) => type.name === attachmentsType.name),
    }))
    .filter(({ columns }) => columns.length > 0)
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
