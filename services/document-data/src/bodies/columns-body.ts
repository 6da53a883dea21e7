import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell } from '../values/column-type'
import { readJson } from '../json/read-json'
import type { AddBody } from './add-body'
import { faultOfCell } from './cell'
import { invalidPayload, isObject } from './record-columns'
import type { UpdateBody } from './update-body'

/**
 * Reads rows to add in columnar form, `{"A":[…],"B":[…]}`; the lists may be empty. Throws AppError `invalid`:
 * MALFORMED_JSON; INVALID_PAYLOAD naming the column, also for lists of different lengths; INVALID_COLUMN for
 * `id`, which clients cannot choose.
 */
export function readAddColumns(json: Uint8Array): AddBody {
  const lists = readLists(readJson(json, 'body'))
  if (lists.has('id')) throw new AppError('invalid', 'INVALID_COLUMN', 'Invalid column "id"')
  const [first] = lists
  if (!first) throw invalidPayload('body must have at least one column')
  const [name, { length }] = first
  return { rows: length, columns: readCells(lists, name, length) }
}

/**
 * Reads cells to change in columnar form, `{"id":[1,2],"A":[…]}`. Throws AppError `invalid`: MALFORMED_JSON;
 * INVALID_PAYLOAD naming the column, also for lists of different lengths; INVALID_ROW_ID for an id that is
 * not a whole number.
 */
export function readUpdateColumns(json: Uint8Array): UpdateBody {
  const lists = readLists(readJson(json, 'body'))
  const ids = lists.get('id')
  if (!ids) throw invalidPayload('body.id is missing')
  ids.forEach((id, row) => {
    if (typeof id !== 'number') throw invalidPayload(`body.id[${row}] is not a number`)
    if (!Number.isSafeInteger(id))
      throw new AppError('invalid', 'INVALID_ROW_ID', `Invalid row id ${id}`)
  })
  lists.delete('id')
  return { ids: ids as number[], columns: readCells(lists, 'id', ids.length) }
}

function readLists(body: unknown): Map<string, unknown[]> {
  if (!isObject(body)) throw invalidPayload('body is not an object')
  const lists = new Map<string, unknown[]>()
  for (const [name, list] of Object.entries(body)) {
    if (!Array.isArray(list)) throw invalidPayload(`body.${shorten(name)} is not an array`)
    lists.set(name, list)
  }
  return lists
}

function readCells(
  lists: ReadonlyMap<string, unknown[]>,
  like: string,
  length: number,
): Map<string, Cell[]> {
  for (const [name, list] of lists) {
    if (list.length !== length)
      throw invalidPayload(
        `body.${shorten(name)} has ${list.length} items, but body.${shorten(like)} has ${length}`,
      )
    list.forEach((cell, row) => {
      const fault = faultOfCell(cell, `body.${shorten(name)}[${row}]`)
      if (fault !== undefined) throw invalidPayload(fault)
    })
  }
  return lists as Map<string, Cell[]>
}
