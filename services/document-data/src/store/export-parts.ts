import { AppError } from '@sheaf/kit/errors'
import type { DelimitedPlan } from '../export/delimited'
import type { SheetPlan } from '../export/sheet'
import type { RowSource } from '../export/shown-row'
import {
  MAX_SHEET_ROWS,
  SHEET_BEGIN,
  SHEET_END,
  sheetPath,
  workbookFiles,
  type WorkbookPlan,
} from '../export/workbook'
import type { Connection } from './connections'
import { ZipParts } from './zip-parts'

/** What is exported, as plain values that can go to another thread. */
export type ExportPlan = DelimitedPlan | WorkbookPlan

/** Rows read in one go at most; fewer when they are long. */
const RANGE_ROWS = 1500
/** Rows in the first go, before anything is known of their length. */
const FIRST_ROWS = 200
/** Size that what is read in one go approaches. */
const CHUNK_BYTES = 256 * 1024
/** Below every row id. */
const FIRST = Number.MIN_SAFE_INTEGER

/**
 * The bytes of an export in parts, each made when it is asked for. What the connection's transaction sees is what it
 * shows. Throws what SQLite throws, and `invalid` before the first part when a table does not fit into the form.
 */
export function exportParts(connection: Connection, plan: ExportPlan): Generator<Buffer | null> {
  return plan.export === 'delimited'
    ? delimitedParts(connection, plan)
    : workbookParts(connection, plan)
}

function* delimitedParts(
  connection: Connection,
  { head, rows, line }: DelimitedPlan,
): Generator<Buffer> {
  yield Buffer.from(head)
  const statement = connection.pluck(`
    SELECT CAST(group_concat(${line}, '') AS BLOB)
    FROM (SELECT ${rows.values} FROM ${rows.from} NOT INDEXED WHERE id > ? AND id <= ?)`)
  yield* rangeParts(connection, rows, (after, end) => statement.get(after, end) as Buffer | null)
}

/** The rows in the order of their ids, a range of ids at a time. */
function* rangeParts(
  connection: Connection,
  { from }: RowSource,
  read: (after: number, end: number) => Buffer | null,
): Generator<Buffer> {
  const findEnd = connection.pluck(
    `SELECT id FROM ${from} NOT INDEXED WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?`,
  )
  let rows = FIRST_ROWS
  for (let after: number | undefined = FIRST; after !== undefined;) {
    const end = findEnd.get(after, rows - 1) as number | undefined
    const part = read(after, end ?? Number.MAX_SAFE_INTEGER)
    if (part) {
      yield part
      rows = Math.max(1, Math.min(RANGE_ROWS, Math.round((rows * CHUNK_BYTES) / part.length)))
    }
    after = end
  }
}

function* workbookParts(connection: Connection, plan: WorkbookPlan): Generator<Buffer | null> {
  for (const sheet of plan.sheets) requireRoom(connection, sheet)
  const zip = new ZipParts()
  for (const { path, xml } of workbookFiles(plan)) {
    zip.begin(path)
    yield zip.add(Buffer.from(xml))
    yield zip.end()
  }
  for (const [index, sheet] of plan.sheets.entries()) {
    zip.begin(sheetPath(index))
    yield zip.add(Buffer.from(SHEET_BEGIN + sheet.head))
    for (const part of sheetParts(connection, sheet)) yield zip.add(part)
    yield zip.add(Buffer.from(SHEET_END))
    yield zip.end()
  }
  yield zip.finish()
}

function sheetParts(connection: Connection, { rows, row }: SheetPlan): Generator<Buffer> {
  const statement = connection.raw(`
    SELECT CAST(group_concat(${row}, '') AS BLOB), count(*)
    FROM (SELECT CAST(? AS INTEGER) + row_number() OVER (ORDER BY id) AS r, ${rows.values}
      FROM ${rows.from} NOT INDEXED WHERE id > ? AND id <= ?)`)
  // The first line is the row of the heads.
  let written = 1
  return rangeParts(connection, rows, (after, end) => {
    const [part, count] = statement.get(written, after, end) as [Buffer | null, number]
    written += count
    return part
  })
}

/** Throws `invalid` when a table has more rows than a sheet can have. */
function requireRoom(connection: Connection, { tableId, rows: { from } }: SheetPlan): void {
  const highest = connection.pluck(`SELECT max(id) FROM ${from}`).get() as number | null
  if ((highest ?? 0) <= MAX_SHEET_ROWS) return
  const beyond = connection
    .pluck(`SELECT id FROM ${from} NOT INDEXED ORDER BY id LIMIT 1 OFFSET ${MAX_SHEET_ROWS}`)
    .get()
  if (beyond !== undefined)
    throw new AppError(
      'invalid',
      'EXPORT_TOO_LARGE',
      `table ${tableId} has more rows than the ${MAX_SHEET_ROWS} of a sheet; CSV has no such limit`,
    )
}
