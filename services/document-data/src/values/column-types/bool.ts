import type { Cell, ColumnType, StoredValue } from '../column-type'
import { plainFromStored } from '../column-type'
import { cellText } from '../python-text'

const WORDS = new Map<string, bigint>([
  ['true', 1n],
  ['yes', 1n],
  ['1', 1n],
  ['false', 0n],
  ['no', 0n],
  ['0', 0n],
  ['', 0n],
])

/** Truth values, stored as 1 and 0; never null. */
export const boolType: ColumnType = {
  name: 'Bool',
  affinity: '',
  storage: 'number',
  defaultValue: 0n,
  toStored: boolToStored,
  fromStored: (value) => (typeof value === 'string' ? value : plainFromStored(value) === 1),
  jsonSql: (c) => `CASE ${c} WHEN 1 THEN json('true') WHEN 0 THEN json('false') ELSE ${c} END`,
}

function boolToStored(cell: Cell): StoredValue {
  switch (typeof cell) {
    case 'boolean':
      return cell ? 1n : 0n
    case 'number':
      return cell === 0 || Number.isNaN(cell) ? 0n : 1n
    case 'string':
      return cell.length > 5 ? cell : (WORDS.get(cell.toLowerCase()) ?? cell)
    default:
      return cell === null || (cell[0] === 'L' && cell.length === 1) ? 0n : cellText(cell)
  }
}
