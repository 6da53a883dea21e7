import type { StoredValue } from './column-type'
import { columnType } from './column-types'
import { errorFromStored, isStoredError } from './error-cells'

/** Returns the cells of stored values as a JSON list, in the format of the log. */
export function loggedCells(typeName: string, values: readonly (string | number | null)[]): Buffer {
  const type = columnType(typeName)
  // For text and most numbers, stored value and cell are the same.
  const isPlain = type.storage === 'text' || (type.storage === 'number' && type.name !== 'Bool')
  const toCell = (value: string | number | null) => {
    if (isStoredError(value)) return errorFromStored(value)
    return isPlain ? value : type.fromStored(storedValue(value))
  }
  const cells = isPlain && !values.some(isStoredError) ? values : values.map(toCell)
  return Buffer.from(JSON.stringify(cells))
}

/** The log does not distinguish integers from reals; on disk, safe whole numbers are integers. */
function storedValue(value: string | number | null): StoredValue {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}
