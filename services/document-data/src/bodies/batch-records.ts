import { shorten } from '@sheaf/kit/truncate-text'
import type {
  ExpectedRecord,
  RecordsOperation,
  RowName,
  UpdateStep,
} from '../store/batch/operations'
import { isTemporaryId } from '../store/batch/temporary-ids'
import { groupRecords } from './add-or-update-body'
import { readExpected } from './expected'
import { RecordColumns, invalidPayload, isObject, readRecordList } from './record-columns'

/** An operation on rows that is to be read. */
interface Source {
  readonly name: RecordsOperation['op']
  readonly operation: Readonly<Record<string, unknown>>
  /** Location of the operation. */
  readonly path: string
  /** The temporary ids of earlier operations; those of this one are added. */
  readonly named: Set<string>
}

type Fields = Readonly<Record<string, unknown>>

const OPTIONS = ['onMany', 'noAdd', 'noUpdate', 'allowEmptyRequire']
const MANY = ['first', 'none', 'all'] as const

/** Reads an operation on rows. Throws AppError `invalid` (INVALID_PAYLOAD) with the location of the fault. */
export function readRecordsOperation(source: Source): RecordsOperation {
  const { name, operation, path } = source
  const options = name === 'addOrUpdateRecords' ? OPTIONS : []
  requireKnown(operation, ['op', 'table', 'records', ...options], path)
  const { table } = operation
  if (typeof table !== 'string') throw invalidPayload(`${path}.table is not a string`)
  const records = readRecordList(operation, 'record', path)
  switch (name) {
    case 'addRecords':
      return { op: name, table, ...readNew(source, records) }
    case 'updateRecords':
      return { op: name, table, ...readChanged(source, records) }
    case 'addOrUpdateRecords': {
      records.forEach((record, place) => {
        if (isObject(record))
          requireKnown(record, ['require', 'fields', 'expect'], `${path}.records[${place}]`)
      })
      return { op: name, table, ...groupRecords(records, path), ...readOptions(operation, path) }
    }
    case 'deleteRecords': {
      const read = records.map((record, place) =>
        readRecord(source, record, { place, known: ['id', 'expect'] }),
      )
      const rows = read.map(({ id, path: at }) => readRow(source, id, at))
      return { op: name, table, rows, expected: readAllExpected(read, rows) }
    }
  }
}

function readOptions(operation: Fields, path: string) {
  const { onMany = 'first' } = operation
  const many = MANY.find((one) => one === onMany)
  if (!many) throw invalidPayload(`${path}.onMany is none of first, none, all`)
  const flag = (name: string): boolean => {
    const { [name]: value = false } = operation
    if (typeof value !== 'boolean') throw invalidPayload(`${path}.${name} is not a boolean`)
    return value
  }
  return {
    onMany: many,
    noAdd: flag('noAdd'),
    noUpdate: flag('noUpdate'),
    allowEmptyRequire: flag('allowEmptyRequire'),
  }
}

function readNew(source: Source, records: readonly unknown[]) {
  const collected = new RecordColumns(records.length)
  const names = records.map((record, place) => {
    const { id, fields = {}, path } = readRecord(source, record, { place, known: ['id', 'fields'] })
    collect(collected, { row: place, fields, path })
    if (id === undefined) return undefined
    if (!isTemporaryId(id))
      throw invalidPayload(`${path}.id is not a temporary id, such as "$a"; new rows get free ids`)
    if (source.named.has(id)) throw invalidPayload(`${path}.id is used already`)
    source.named.add(id)
    return id
  })
  return { count: records.length, names, cells: collected.columns }
}

function readChanged(source: Source, records: readonly unknown[]) {
  const known = ['id', 'fields', 'expect']
  const read = records.map((record, place) => readRecord(source, record, { place, known }))
  const rows = read.map(({ id, path }) => readRow(source, id, path))
  const steps: UpdateStep[] = []
  for (const part of stepsOf(read, rows)) {
    const collected = new RecordColumns(part.length)
    part.forEach(({ fields, path }, row) => collect(collected, { row, fields, path }))
    const places = part.map(({ place }) => place)
    steps.push({
      places,
      rows: places.map((place) => rows[place] ?? 0),
      cells: collected.columns,
    })
  }
  return { steps, expected: readAllExpected(read, rows) }
}

interface ReadRecord {
  readonly place: number
  readonly path: string
  readonly id: unknown
  readonly fields: unknown
  readonly expect: unknown
}

/**
 * Records with the same columns are changed together, since each step costs statements of its own. Of records of one row, none
 * belongs to a step before that of an earlier one; a temporary id may be the row that another record names by its number.
 */
function stepsOf(records: readonly ReadRecord[], rows: readonly RowName[]): ReadRecord[][] {
  const steps: ReadRecord[][] = []
  /** Steps that may have more records, by their columns; the latest step always may. */
  const open = new Map<string, ReadRecord[]>()
  const rowsOfOpen = new Set<RowName>()
  for (const record of records) {
    if (!isObject(record.fields)) throw invalidPayload(`${record.path}.fields is not an object`)
    const columns = JSON.stringify(Object.keys(record.fields).sort())
    const row = rows[record.place] ?? 0
    if (rowsOfOpen.has(row) || typeof row !== 'number') {
      const latest = open.get(columns) === steps.at(-1) ? open.get(columns) : undefined
      open.clear()
      rowsOfOpen.clear()
      if (latest) open.set(columns, latest)
    }
    rowsOfOpen.add(row)
    const step = open.get(columns)
    if (step) step.push(record)
    else {
      const begun = [record]
      open.set(columns, begun)
      steps.push(begun)
    }
  }
  return steps
}

function readRecord(
  { path }: Source,
  record: unknown,
  { place, known }: { readonly place: number; readonly known: readonly string[] },
): ReadRecord {
  const at = `${path}.records[${place}]`
  if (!isObject(record)) throw invalidPayload(`${at} is not an object`)
  requireKnown(record, known, at)
  const { id, fields, expect } = record
  return { place, path: at, id, fields, expect }
}

function readRow({ named }: Source, id: unknown, path: string): RowName {
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id
  if (isTemporaryId(id) && named.has(id)) return id
  const reason = isTemporaryId(id)
    ? 'is not the temporary id of a row that an earlier operation adds'
    : 'is not a row id or a temporary id'
  throw invalidPayload(`${path}.id ${reason}`)
}

function readAllExpected(
  records: readonly ReadRecord[],
  rows: readonly RowName[],
): ExpectedRecord[] {
  return records.flatMap(({ place, path, expect }) => {
    if (expect === undefined) return []
    const cells = readExpected(expect, (fault) => invalidPayload(located(fault, path)))
    return [{ place, row: rows[place] ?? 0, cells }]
  })
}

function collect(
  columns: RecordColumns,
  { row, fields, path }: { readonly row: number; readonly fields: unknown; readonly path: string },
): void {
  if (!isObject(fields)) throw invalidPayload(`${path}.fields is not an object`)
  columns.add(row, fields, (fault) => invalidPayload(located(fault, path)))
}

/** Paths of faults in cells are relative to their record. */
function located(fault: string, path: string): string {
  return fault.replace(/(^|; )\./g, (_, start: string) => `${start}${path}.`)
}

/** A property that is not known would be lost. */
export function requireKnown(object: Fields, known: readonly string[], path: string): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw invalidPayload(`${path}.${shorten(unknown)} is unknown; known are ${known.join(', ')}`)
}
