import type { ColumnType } from '../column-type'
import { numberJsonSql, storedNumber } from '../numbers/number-storage'
import { TAG, isTaggedSql, tag, tagAnyText, untag, untaggedSql } from '../tagged-text'

/** Values of any type, stored unchanged: numbers and text natively, the rest as tagged text. */
export const anyType: ColumnType = {
  name: 'Any',
  affinity: '',
  storage: 'any',
  defaultValue: null,
  toStored: (cell) => {
    switch (typeof cell) {
      case 'number':
        return storedNumber(cell)
      case 'string':
        return tagAnyText(cell)
      default:
        return cell === null ? null : tag(cell)
    }
  },
  fromStored: (value) => {
    if (typeof value === 'string' && value.startsWith(TAG)) return untag(value)
    return typeof value === 'bigint' ? Number(value) : value
  },
  jsonSql: (column) =>
    `CASE WHEN ${isTaggedSql(column)} THEN ${untaggedSql(column)} ELSE ${numberJsonSql(column)} END`,
}
