import type { ColumnType } from '../column-type'
import { numericType } from './numeric'

/**
 * Manual position of a row. Null, or any value that is not a number, requests the next position from the
 * store.
 */
export const manualSortPosType: ColumnType = createPositionType('ManualSortPos')

/** Position in a list of metadata rows, with the same rules. */
export const positionNumberType: ColumnType = createPositionType('PositionNumber')

function createPositionType(name: string): ColumnType {
  return {
    ...numericType,
    name,
    defaultValue: null,
    toStored: (cell, context, options) => {
      const value = numericType.toStored(cell, context, options)
      return typeof value === 'string' ? null : value
    },
  }
}
