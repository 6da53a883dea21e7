import type { ColumnType } from '../column-type'
import { numericType } from './numeric'

/** Position of a row by hand; null asks the store for the next one, and so does anything that is no number. */
export const manualSortPosType: ColumnType = createPositionType('ManualSortPos')

/** Position in a list of metadata rows; the same rules. */
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
