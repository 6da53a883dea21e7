import type { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell } from '../values/column-type'
import { faultOfCell } from './cell'
import { isObject } from './record-columns'

/** Cells that a record is expected to hold, by column id. */
export type ExpectedCells = ReadonlyMap<string, Cell>

/**
 * Reads the `expect` object of a record, `{"column": cell, …}`. Throws the result of `refuse` for a fault;
 * its path is relative to the record.
 */
export function readExpected(expect: unknown, refuse: (fault: string) => AppError): ExpectedCells {
  if (!isObject(expect)) throw refuse('.expect is not an object')
  for (const [column, cell] of Object.entries(expect)) {
    const fault = faultOfCell(cell, `.expect.${shorten(column)}`)
    if (fault !== undefined) throw refuse(fault)
  }
  return new Map(Object.entries(expect) as [string, Cell][])
}
