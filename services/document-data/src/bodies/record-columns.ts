import type { AppError } from '@sheaf/kit/errors'
import { payloadError } from '@sheaf/kit/payload-error'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell } from '../values/column-type'
import { ACCEPTED_CELLS, CELL_KINDS, faultOfCell } from './cell'

/** Property names in one message. */
const MAX_SHOWN = 5

/**
 * The error for a malformed body. Messages locate the fault with a path and do not quote values. A fault may
 * be a chain of statements, as clients of the Grist API expect it: from the type of a record to its cell. The
 * message has the one statement that people understand.
 */
export function invalidPayload(fault: string): AppError {
  const chain = fault.split(/; (?=(?:body|operations)\b)/)
  const ofCell = chain.find((statement) => statement.endsWith(CELL_KINDS))
  const reason =
    ofCell === undefined ? chain.at(-1) : ofCell.slice(0, -CELL_KINDS.length) + ACCEPTED_CELLS
  return payloadError(reason ?? fault, [fault])
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the items of `body.records`. Throws AppError `invalid` (INVALID_PAYLOAD) unless there is at least
 * one.
 * @param path location of the body
 */
export function readRecordList(body: unknown, itemName: string, path = 'body'): unknown[] {
  if (!isObject(body))
    throw invalidPayload(
      Array.isArray(body) ? `${path}.records is missing` : `${path} is not an object`,
    )
  const records = Object.hasOwn(body, 'records') ? body.records : undefined
  if (records === undefined) throw invalidPayload(`${path}.records is missing`)
  if (!Array.isArray(records)) throw invalidPayload(`${path}.records is not an array`)
  if (records.length === 0) throw notAnObject(`${path}.records[0]`, itemName)
  return records
}

/** The error for a list item that is not an object. */
export function notAnObject(path: string, itemName: string): AppError {
  return invalidPayload(`${path} is not a ${itemName}; ${path} is not an object`)
}

/**
 * The error for an invalid record. Fault paths are relative to the record; the path of the record is
 * prepended to each.
 */
export function invalidRecord(path: string, itemName: string, fault: string): AppError {
  const full = fault.replace(/(^|; )\./g, (_, start: string) => `${start}${path}.`)
  return invalidPayload(`${path} is not a ${itemName}; ${full}`)
}

/**
 * Rejects a record whose cells stand beside `fields` instead of in it: its other properties would be lost.
 * `known` are the properties that a record has besides `fields`.
 */
export function requireNoStrayCells(
  record: Record<string, unknown>,
  path: string,
  known: readonly string[] = [],
): void {
  const stray = Object.keys(record).filter((name) => !known.includes(name))
  if (stray.length === 0) return
  const shown = stray.slice(0, MAX_SHOWN).map((name) => shorten(name))
  const rest = stray.length > MAX_SHOWN ? ', …' : ''
  throw invalidPayload(`${path} has no fields; put ${shown.join(', ')}${rest} into it`)
}

/** Collects the cells of records by column, with null for omitted columns. */
export class RecordColumns {
  readonly columns = new Map<string, Cell[]>()
  /**
   * Columns in the order of the previous record: records usually have the same columns, which avoids map
   * lookups.
   */
  private readonly order: { name: string; cells: Cell[] }[] = []

  constructor(private readonly rows: number) {}

  /**
   * Adds the cells of one record and returns their number. Throws AppError `invalid` (INVALID_PAYLOAD) for a
   * value that is not a cell; the fault begins with the name under which the record holds `fields`.
   */
  add(
    row: number,
    fields: Record<string, unknown>,
    describe: (fault: string) => AppError,
    map = 'fields',
  ): number {
    let count = 0
    for (const name in fields) {
      const value = fields[name]
      if (typeof value === 'object' && value !== null) {
        const fault = faultOfCell(value, `.${map}.${shorten(name)}`)
        if (fault !== undefined) throw describe(fault)
      }
      const expected = this.order[count]
      const cells = expected?.name === name ? expected.cells : this.find(name, count)
      cells[row] = value as Cell
      count++
    }
    return count
  }

  private find(name: string, at: number): Cell[] {
    let cells = this.columns.get(name)
    if (!cells) {
      cells = new Array<Cell>(this.rows).fill(null)
      this.columns.set(name, cells)
    }
    this.order[at] = { name, cells }
    return cells
  }
}
