import { AppError } from '@sheaf/kit/errors'
import type { DelimitedPlan } from '../../export/delimited'
import type { SheetPlan } from '../../export/sheet'
import {
  MAX_SHEET_ROWS,
  SHEET_BEGIN,
  SHEET_END,
  sheetPath,
  workbookFiles,
  type WorkbookPlan,
} from '../../export/workbook'
import type { ValuesPlan } from '../../query/column-values'
import type { GroupsPlan } from '../../query/groups'
import { groupParts } from '../reads/group-parts'
import { valueParts } from '../reads/value-parts'
import { requireRow, type Connection } from '../sqlite/connections'
import { compareParts } from '../compare/compare-parts'
import type { ComparePlan } from '../compare/compare-plan'
import { historyParts, type HistoryPlan } from '../feed/history'
import { ZipWriter } from './zip-writer'

/** The export, as plain values that can be sent to another thread. */
export type ExportPlan =
  DelimitedPlan | WorkbookPlan | HistoryPlan | ComparePlan | ValuesPlan | GroupsPlan

/** Maximum rows per step; fewer when they are long. */
const RANGE_ROWS = 1500
/** Rows in the first step, before their length is known. */
const FIRST_ROWS = 100
/** Target size of a step. */
const CHUNK_BYTES = 256 * 1024
/** Below every row id. */
const FIRST = Number.MIN_SAFE_INTEGER

/**
 * The bytes of an export in parts, each made on demand, as the transaction of the connection sees the
 * document. Throws what SQLite throws, and `invalid` before the first part when a table does not fit into the
 * format.
 */
export function exportParts(connection: Connection, plan: ExportPlan): Generator<Buffer | null> {
  switch (plan.export) {
    case 'delimited':
      return delimitedParts(connection, plan)
    case 'workbook':
      return workbookParts(connection, plan)
    case 'history':
      return historyParts(connection, plan)
    case 'comparison':
      return compareParts(connection, plan)
    case 'values':
      return valueParts(connection, plan)
    case 'groups':
      return groupParts(connection, plan)
  }
}

function* delimitedParts(
  connection: Connection,
  { head, rows: { from, values }, line }: DelimitedPlan,
): Generator<Buffer> {
  yield Buffer.from(head)
  const findEnd = connection.pluck<number>(
    `SELECT id FROM ${from} NOT INDEXED WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?`,
  )
  const read = rowReader(
    connection,
    line,
    `(SELECT ${values} FROM ${from} NOT INDEXED WHERE id > ? AND id <= ?)`,
  )
  let rows = FIRST_ROWS
  for (let after: number | undefined = FIRST; after !== undefined;) {
    const end = findEnd.get(after, rows - 1)
    const part = read(after, end ?? Number.MAX_SAFE_INTEGER)
    if (part) {
      yield part
      rows = fittingRows(rows, part)
    }
    after = end
  }
}

function* workbookParts(connection: Connection, plan: WorkbookPlan): Generator<Buffer | null> {
  for (const sheet of plan.sheets) requireRoom(connection, sheet)
  const zip = new ZipWriter()
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

function* sheetParts(connection: Connection, { rows, row }: SheetPlan): Generator<Buffer> {
  const { from, values } = rows
  const findIds = connection.pluck<number>(
    `SELECT id FROM ${from} NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?`,
  )
  // A row's number is its index in the list of ids.
  const read = rowReader(
    connection,
    row,
    `(SELECT CAST(? AS INTEGER) + e.key AS r, ${values}
      FROM json_each(?) e CROSS JOIN ${from} NOT INDEXED ON ${rows.id} = e.value)`,
  )
  let count = FIRST_ROWS
  // The first line is the header row.
  let next = 2
  for (let after = FIRST; ;) {
    const ids = findIds.all(after, count)
    if (ids.length === 0) return
    const part = read(next, JSON.stringify(ids))
    if (!part) return
    yield part
    next += ids.length
    after = ids.at(-1) ?? after
    count = fittingRows(ids.length, part)
  }
}

type ReadRows = (...params: readonly (number | string)[]) => Buffer | null

/** Reads the text of rows, concatenated by SQLite; the pieces of very wide rows are joined here. */
function rowReader(connection: Connection, pieces: readonly string[], from: string): ReadRows {
  if (pieces.length === 1) {
    const statement = connection.pluck<Buffer | null>(
      `SELECT CAST(group_concat(${pieces[0]}, '') AS BLOB) FROM ${from}`,
    )
    return (...params) => requireRow(statement.get(...params))
  }
  const statements = pieces.map((piece) => connection.pluck<string>(`SELECT ${piece} FROM ${from}`))
  return (...params) => {
    const [first = [], ...others] = statements.map((each) => each.all(...params))
    const rows = first.map((text, i) => text + others.map((texts) => texts[i] ?? '').join(''))
    return rows.length === 0 ? null : Buffer.from(rows.join(''))
  }
}

/** Number of rows to read next, given the size of this part. */
function fittingRows(rows: number, { length }: Buffer): number {
  return Math.max(1, Math.min(RANGE_ROWS, Math.round((rows * CHUNK_BYTES) / length)))
}

/** Throws `invalid` when a table has more rows than a sheet can have. */
function requireRoom(connection: Connection, { tableId, rows: { from } }: SheetPlan): void {
  const highest = requireRow(connection.pluck<number | null>(`SELECT max(id) FROM ${from}`).get())
  if ((highest ?? 0) <= MAX_SHEET_ROWS) return
  const beyond = connection
    .pluck(`SELECT id FROM ${from} NOT INDEXED ORDER BY id LIMIT 1 OFFSET ${MAX_SHEET_ROWS}`)
    .get()
  if (beyond !== undefined)
    throw new AppError(
      'invalid',
      'EXPORT_TOO_LARGE',
      `table ${tableId} has more than ${MAX_SHEET_ROWS} rows, the limit of a sheet: use CSV`,
    )
}
