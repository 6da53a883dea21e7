import type { Cell } from '../values/column-type'
import { readJson } from '../json/read-json'
import { readExpected, type ExpectedCells } from './expected'
import {
  RecordColumns,
  invalidRecord,
  isObject,
  notAnObject,
  readRecordList,
  requireNoStrayCells,
} from './record-columns'

const NAME = 'AddOrUpdateRecord'

/** Records that match on the same columns and write the same columns; a group runs as one step. */
export interface AddOrUpdateGroup {
  /** Indexes of the records in the request, ascending. */
  readonly places: readonly number[]
  /** Cells to match, by column id, one per record. */
  readonly require: ReadonlyMap<string, readonly Cell[]>
  /** Cells to write, by column id, one per record. */
  readonly fields: ReadonlyMap<string, readonly Cell[]>
  /** Cells that the matched row must hold, one item per record; absent when no record has any. */
  readonly expected?: readonly (ExpectedCells | undefined)[]
}

/** Rows to match and the cells to write. */
export interface AddOrUpdateBody {
  /** Number of records in the request; at least one. */
  readonly count: number
  /** In execution order: by the names of their columns, regardless of the order of the request. */
  readonly groups: readonly AddOrUpdateGroup[]
}

interface Entry {
  readonly place: number
  readonly path: string
  readonly require: Record<string, unknown>
  readonly fields: Record<string, unknown>
  readonly expected?: ExpectedCells
}

/**
 * Reads `{"records":[{"require":{…},"fields":{…},"expect":{…}},…]}`; `fields` and `expect` are optional.
 * Throws AppError `invalid` (MALFORMED_JSON, INVALID_PAYLOAD) for the first fault. Does not check that the
 * columns exist.
 */
export function readAddOrUpdateBody(json: Uint8Array): AddOrUpdateBody {
  return groupRecords(readRecordList(readJson(json, 'body'), NAME), 'body')
}

/** The same for the records of a list that has been read. */
export function groupRecords(records: readonly unknown[], path: string): AddOrUpdateBody {
  const groups = new Map<string, Entry[]>()
  records.forEach((record, place) => {
    const entry = readEntry(record, place, `${path}.records[${place}]`)
    const key = `${namesOf(entry.require)}:${namesOf(entry.fields)}`
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  })
  const inOrder = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
  return { count: records.length, groups: inOrder.map(([, entries]) => collect(entries)) }
}

function namesOf(map: Record<string, unknown>): string {
  return Object.keys(map).sort().join(',')
}

function readEntry(record: unknown, place: number, path: string): Entry {
  if (!isObject(record)) throw notAnObject(path, NAME)
  const { require, fields = {} } = record
  if (require === undefined) throw invalidRecord(path, NAME, '.require is missing')
  if (!isObject(require)) throw invalidRecord(path, NAME, '.require is not an object')
  if (!isObject(fields)) throw invalidRecord(path, NAME, '.fields is not an object')
  if (record.fields === undefined) requireNoStrayCells(record, path, ['require', 'expect'])
  if (Object.hasOwn(require, 'id') && typeof require.id !== 'number')
    throw invalidRecord(path, NAME, '.require.id is not a number')
  const { expect } = record
  const refuse = (fault: string) => invalidRecord(path, NAME, fault)
  const expected = expect === undefined ? undefined : readExpected(expect, refuse)
  return { place, path, require, fields, expected }
}

function collect(entries: readonly Entry[]): AddOrUpdateGroup {
  const require = new RecordColumns(entries.length)
  const fields = new RecordColumns(entries.length)
  entries.forEach((entry, row) => {
    const describe = (fault: string) => invalidRecord(entry.path, NAME, fault)
    require.add(row, entry.require, describe, 'require')
    fields.add(row, entry.fields, describe)
  })
  return {
    places: entries.map(({ place }) => place),
    require: require.columns,
    fields: fields.columns,
    ...(entries.some(({ expected }) => expected) && {
      expected: entries.map(({ expected }) => expected),
    }),
  }
}
