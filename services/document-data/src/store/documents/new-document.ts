import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import { Connection } from '../sqlite/connections'
import { DocumentWriter } from '../document'
import type { FirstEntry } from '../log/first-entries'
import { LOG_FORMAT, type Author, type Operation, type SchemaOperation } from '../log/log'
import { storeSettings } from '../schema/settings'
import { migrate, newestVersion } from '../sqlite/migrations/index'
import { beginLog, storeTerm } from '../log/publish-state'
import { readSchema } from '../schema/schema'
import { addTables } from '../structure/tables'

/** Settings of a new document. */
export interface NewDocument {
  /** IANA time zone. */
  readonly timezone: string
  /** BCP 47 tag. */
  readonly locale: string
}

/** Bytes 18 and 19 of a database file are its write and read version; 2 means write-ahead logging. */
const MODE_BYTES = [18, 19]
const WRITE_AHEAD = 2

/** A document in memory without settings and log, and the operations that made it. */
interface Template {
  readonly format: number
  readonly connection: Connection
  readonly operations: readonly SchemaOperation[]
}

let template: Template | undefined

/**
 * The bytes of a new document's file: one table `Table1` with three empty columns, and the first entry of its
 * log. They are read from the open transaction that adds settings and entry to the template, which is then rolled back:
 * so nothing of one document remains in the next.
 * @param term term of that entry, where the log is kept outside of the file too
 */
export function createDocumentBytes(
  settings: NewDocument,
  author: Author,
  { format = newestVersion, term = 0 }: { readonly format?: number; readonly term?: number } = {},
): { bytes: Buffer; first: FirstEntry } {
  if (template?.format !== format) {
    template?.connection.close()
    template = createTemplate(format)
  }
  const { connection, operations } = template
  const { db } = connection
  db.exec('BEGIN')
  try {
    const { timezone, locale } = settings
    const documentSettings = JSON.stringify({ locale })
    const document = { format: LOG_FORMAT, epoch: randomUUID(), timezone, documentSettings }
    storeSettings(connection, document)
    const [table, ...more] = operations
    const own = table ? [{ ...table, redo: { document } }, ...more] : []
    const first = beginLog(connection, author, own, document.epoch)
    storeTerm(connection, term)
    const bytes = db.serialize()
    for (const position of MODE_BYTES) bytes[position] = WRITE_AHEAD
    return { bytes, first }
  } finally {
    db.exec('ROLLBACK')
  }
}

function createTemplate(format: number): Template {
  const connection = new Connection(new Database(':memory:'))
  try {
    migrate(connection.db, { upTo: format })
    const doc = new DocumentWriter('', connection, readSchema(connection), 0)
    const columns = ['A', 'B', 'C'].map((id) => ({ id, fields: { type: 'Any', isFormula: true } }))
    addTables(doc, [{ id: 'Table1', columns }])
    return { format, connection, operations: asRead(doc.operations) }
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * The operations in the form in which the log returns them, so that an event is the same from either source.
 */
function asRead(operations: readonly Operation[]): readonly SchemaOperation[] {
  return JSON.parse(JSON.stringify(operations)) as SchemaOperation[]
}
