import { AppError } from '@sheaf/kit/errors'
import type { Cell } from '../values/column-type'
import { faultOfCell } from './cell'

/** The refusal of a body whose form is wrong; `path` messages name the place and quote no value. */
export function invalidPayload(fault: string): AppError {
  return new AppError('invalid', 'INVALID_PAYLOAD', 'Invalid payload', {
    userError: `Error: ${fault}`,
  })
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The items of `body.records`; throws AppError `invalid` (INVALID_PAYLOAD) unless there is at least one. */
export function readRecordList(body: unknown, itemName: string): unknown[] {
  if (!isObject(body))
    throw invalidPayload(Array.isArray(body) ? 'body.records is missing' : 'body is not an object')
  const records = Object.hasOwn(body, 'records') ? body.records : undefined
  if (records === undefined) throw invalidPayload('body.records is missing')
  if (!Array.isArray(records)) throw invalidPayload('body.records is not an array')
  if (records.length === 0) throw notAnObject('body.records[0]', itemName)
  return records
}

/** The refusal of a list item that is no object. */
export function notAnObject(path: string, itemName: string): AppError {
  return invalidPayload(`${path} is not a ${itemName}; ${path} is not an object`)
}

/** The refusal of a record: faults name their place from the record on, and its path goes before each. */
export function invalidRecord(path: string, itemName: string, fault: string): AppError {
  const full = fault.replace(/(^|; )\./g, (_, start: string) => `${start}${path}.`)
  return invalidPayload(`${path} is not a ${itemName}; ${full}`)
}

/** Collects the cells of records by column; a record that leaves a column out has null there. */
export class RecordColumns {
  readonly columns = new Map<string, Cell[]>()
  /** Columns in the order of the record before: records usually look alike, and then no map is asked. */
  private readonly order: { name: string; cells: Cell[] }[] = []

  constructor(private readonly rows: number) {}

  /**
   * Adds the cells of one record and returns how many there are. Throws AppError `invalid` (INVALID_PAYLOAD) with the
   * fault, which begins with the name of the map that `fields` is in the record, when a value is no cell.
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
        const fault = faultOfCell(value, `.${map}.${name}`)
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
