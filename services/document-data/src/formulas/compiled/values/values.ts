import type { Table } from '../../../store/schema/schema'
import type { TimeZone } from './time-zones'

/*
 * Values as formulas compute with them. Of Python's types: `None` is null, `int` a bigint, `float` a number, `str` a
 * string. Everything that a compiled formula cannot do exactly as Python does is left to Python, cell by cell.
 */

/** A value of a compiled formula. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | DateValue
  | DurationValue
  | MomentValue
  | RecordValue
  | RecordsValue
  | ListValue

/** A date, as days since 1970-01-01. */
export class DateValue {
  constructor(readonly days: number) {}
}

/** A difference of dates or times, in seconds. */
export class DurationValue {
  constructor(readonly seconds: number) {}
}

/** A time in a zone. */
export class MomentValue {
  constructor(
    /** Whole seconds since the epoch, … */
    readonly seconds: number,
    /** … and those of a clock in UTC that shows the local time. */
    readonly local: number,
    readonly zone: TimeZone,
  ) {}
}

/** A row of a table; 0 stands for no row. */
export class RecordValue {
  constructor(
    readonly table: Table,
    readonly row: number,
  ) {}
}

/** Rows of a table. */
export class RecordsValue {
  constructor(
    readonly table: Table,
    readonly rows: readonly number[],
  ) {}
}

/** A list, or a tuple. */
export class ListValue {
  private knownSize: number | undefined

  constructor(
    readonly items: readonly Value[],
    readonly isTuple = false,
  ) {}

  /** Its items and their characters, those of lists among them included, once for each place where they are. */
  get size(): number {
    this.knownSize ??= this.items.reduce<number>((sum, item) => sum + 1 + sizeOf(item), 0)
    return this.knownSize
  }
}

/** Characters of a text, or items of a list, that count as a step. */
const SIZE_OF_STEP = 100

function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length
  return value instanceof ListValue ? value.size : 0
}

/** Steps for keeping a value, which bound the memory of long lists of long text. */
export function stepsOf(value: Value): number {
  return Math.floor(sizeOf(value) / SIZE_OF_STEP)
}

/** The error that a formula has in place of a value: the class name and the message of an exception. */
export class FormulaError {
  constructor(
    readonly name: string,
    readonly message: string,
    /** True for the error of a cell that is read. */
    readonly isOfCell = false,
  ) {}
}

/** Thrown for a cell that only Python computes. One object: making a stack trace takes longer than a formula. */
class NeedsPython {
  static readonly instance = new NeedsPython()
}

/** Leaves the cell to Python. */
export function needsPython(): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- see NeedsPython
  throw NeedsPython.instance
}

/** Ends the computation of a cell with an error. */
export function raise(name: string, message: string, isOfCell = false): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- an error value, without a stack trace
  throw new FormulaError(name, message, isOfCell)
}

/** True for a date or a time. */
export function isTime(value: Value): value is DateValue | MomentValue {
  return value instanceof DateValue || value instanceof MomentValue
}

/** Whether Python takes a value for true. */
export function isTrue(value: Value): boolean {
  if (value instanceof RecordValue) return value.row !== 0
  if (value instanceof RecordsValue) return value.rows.length > 0
  if (value instanceof ListValue) return value.items.length > 0
  if (value instanceof DurationValue) return value.seconds !== 0
  // NaN is true in Python.
  return typeof value === 'number' ? value !== 0 : Boolean(value)
}
