import type { Cell } from '../values/column-type'
import { readJson } from '../json/read-json'
import {
  RecordColumns,
  invalidPayload,
  invalidRecord,
  isObject,
  notAnObject,
  readRecordList,
  requireNoStrayCells,
} from './record-columns'

/** Rows to add, by column. */
export interface AddBody {
  /** Number of rows; at least one. */
  rows: number
  /** Cells by column id, one per row; null where a record omits a column that another record has. */
  columns: Map<string, Cell[]>
}

/**
 * Reads `{"records":[{"fields":{…}},…]}`, or with `flat` a list of plain field maps. Ignores keys beside `fields`.
 * Throws AppError `invalid` (MALFORMED_JSON, INVALID_PAYLOAD) for the first fault. Does not check that the
 * columns exist.
 */
export function readAddBody(json: Uint8Array, options: { flat?: boolean } = {}): AddBody {
  const body = readJson(json, 'body')
  const records = options.flat ? readFlatList(body) : readRecordList(body, 'NewRecord')
  const collected = new RecordColumns(records.length)
  for (let row = 0; row < records.length; row++) {
    const record = records[row]
    const path = options.flat ? `body[${row}]` : `body.records[${row}]`
    if (!isObject(record)) throw notAnObject(path, 'NewRecord')
    const fields = options.flat ? record : fieldsOf(record, path)
    if (fields) collected.add(row, fields, (fault) => invalidRecord(path, 'NewRecord', fault))
  }
  return { rows: records.length, columns: collected.columns }
}

function readFlatList(body: unknown): unknown[] {
  if (!Array.isArray(body)) throw invalidPayload('body is not an array')
  if (body.length === 0) throw notAnObject('body[0]', 'NewRecord')
  return body
}

function fieldsOf(
  record: Record<string, unknown>,
  path: string,
): Record<string, unknown> | undefined {
  const { fields } = record
  if (fields === undefined) {
    requireNoStrayCells(record, path)
    return undefined
  }
  if (!isObject(fields)) throw invalidRecord(path, 'NewRecord', '.fields is not an object')
  return fields
}
