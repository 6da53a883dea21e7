import type { ColumnType, StoredValue } from '../column-type'
import { plainFromStored } from '../column-type'
import { readPlainNumber } from '../numbers/number-text'
import { cellText, floatText } from '../python-text'
import { parseNumber } from './numeric'

const LIMIT = 2 ** 31

/**
 * Whole numbers of 32 bits. Fractions are truncated; numbers out of range become text such as `3000000000.0`.
 */
export const intType: ColumnType = {
  name: 'Int',
  affinity: '',
  storage: 'number',
  defaultValue: 0n,
  toStored: (cell, context, { noParse }) => {
    switch (typeof cell) {
      case 'number':
        return wholeToStored(cell) ?? floatText(cell)
      case 'boolean':
        return BigInt(cell)
      case 'string': {
        if (cell === '') return null
        if (noParse) return wholeToStored(readPlainNumber(cell)) ?? cell
        const value = parseNumber(cell, context, noParse)
        if (value === undefined || !Number.isFinite(value)) return cell
        return wholeToStored(value) ?? floatText(value)
      }
      default:
        return cell === null ? null : cellText(cell)
    }
  },
  fromStored: plainFromStored,
  jsonSql: (column) => column,
}

function wholeToStored(value: number | undefined): StoredValue | undefined {
  if (value === undefined) return undefined
  const whole = Math.trunc(value)
  return whole >= -LIMIT && whole < LIMIT ? BigInt(whole) : undefined
}
