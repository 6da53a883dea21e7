import { AppError } from '@sheaf/kit/errors'
import type { Cell } from '../values/column-type'
import { readJson } from '../json/read-json'
import { readExpected, type ExpectedCells } from './expected'
import {
  RecordColumns,
  invalidRecord,
  isObject,
  notAnObject,
  readRecordList,
} from './record-columns'

/** Cells to change, by column. */
export interface UpdateBody {
  /** Row ids in request order: whole numbers that may repeat and may not exist. */
  ids: number[]
  /** Cells by column id, one per row id. Empty if there is nothing to change. */
  columns: Map<string, Cell[]>
  /** Expected cells of the rows whose records specify `expect`. */
  expected?: { rowId: number; cells: ExpectedCells }[]
}

/**
 * Reads `{"records":[{"id":1,"fields":{…},"expect":{…}},…]}`; `expect` is optional. Throws AppError
 * `invalid`: MALFORMED_JSON; INVALID_PAYLOAD for the first fault; INVALID_ROW_ID for an id that is not a
 * whole number; FIELDS_DIFFER unless all records have the same columns.
 */
export function readUpdateBody(json: Uint8Array): UpdateBody {
  const records = readRecordList(readJson(json, 'body'), 'Record')
  const collected = new RecordColumns(records.length)
  const ids = new Array<number>(records.length)
  let width = -1
  let expected: UpdateBody['expected']
  for (let row = 0; row < records.length; row++) {
    const path = `body.records[${row}]`
    const { id, fields, expect } = readRecord(records[row], path)
    ids[row] = id
    const refuse = (fault: string) => invalidRecord(path, 'Record', fault)
    const count = collected.add(row, fields, refuse)
    if (expect !== undefined)
      (expected ??= []).push({ rowId: id, cells: readExpected(expect, refuse) })
    if (width === -1) width = count
    // The same number of columns, and no column missing from the first record, means the same set.
    if (count !== width || collected.columns.size !== width) {
      throw new AppError(
        'invalid',
        'FIELDS_DIFFER',
        'PATCH requires all records to have same fields',
      )
    }
  }
  return { ids, columns: collected.columns, expected }
}

function readRecord(
  record: unknown,
  path: string,
): { id: number; fields: Record<string, unknown>; expect: unknown } {
  if (!isObject(record)) throw notAnObject(path, 'Record')
  const { id, fields, expect } = record
  if (id === undefined) throw invalidRecord(path, 'Record', '.id is missing')
  if (typeof id !== 'number') throw invalidRecord(path, 'Record', '.id is not a number')
  if (fields === undefined) throw invalidRecord(path, 'Record', '.fields is missing')
  if (!isObject(fields)) throw invalidRecord(path, 'Record', '.fields is not an object')
  if (!Number.isSafeInteger(id))
    throw new AppError('invalid', 'INVALID_ROW_ID', `Invalid row id ${id}`)
  return { id, fields, expect }
}
