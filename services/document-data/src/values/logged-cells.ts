import type { StoredValue } from './column-type'
import { columnType } from './column-types'

/** JSON list of the cells that stored values mean, in the form in which the log keeps them. */
export function loggedCells(typeName: string, values: readonly (string | number | null)[]): Buffer {
  const type = columnType(typeName)
  // Text and most numbers are stored as they read.
  const plain = type.storage === 'text' || (type.storage === 'number' && type.name !== 'Bool')
  const cells = plain ? values : values.map((value) => type.fromStored(storedValue(value)))
  return Buffer.from(JSON.stringify(cells))
}

/** The log writes whole numbers without their kind; on disk safe ones are integers. */
function storedValue(value: string | number | null): StoredValue {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}
