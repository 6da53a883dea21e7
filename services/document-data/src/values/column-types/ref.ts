import { quoteText } from '../../quoting/quote'
import type { Cell, ColumnContext, ColumnType, StoredValue } from '../column-type'
import { plainFromStored } from '../column-type'
import { codedNumberSql } from '../numbers/number-storage'
import { cellText } from '../python-text'
import { lookupText, readLookup, readRowId, readRowIdText, refuseTypedReference } from './row-id'

/** Row ids of another table; 0 for none. The existence of the row is not checked. */
export function createRefType(table: string): ColumnType {
  return {
    name: 'Ref',
    argument: table,
    affinity: '',
    storage: 'number',
    defaultValue: 0n,
    toStored: (cell, context, { noParse }) => {
      if (typeof cell === 'string') return textToStored(cell, context, noParse)
      if (typeof cell === 'boolean') return BigInt(cell)
      return cell === null ? 0n : (readRowId(cell) ?? listToStored(cell, context))
    },
    fromStored: plainFromStored,
    jsonSql: (column) => column,
    typedJsonSql: (column) =>
      codedNumberSql(column, (number) => `json_array('R',${quoteText(table)},${number})`),
  }
}

function textToStored(text: string, context: ColumnContext, noParse: boolean): StoredValue {
  if (text === '') return 0n
  if (noParse) return text
  return (context.lookup ? context.lookup(text) : readRowIdText(text)) ?? text
}

function listToStored(cell: Cell, context: ColumnContext): StoredValue {
  refuseTypedReference(cell)
  if (!Array.isArray(cell)) return cellText(cell)
  const lookup = readLookup(cell, context)
  if (lookup) return lookup.find(lookup.values[0]) ?? lookupText(lookup)
  if (cell[0] === 'L' && cell.length <= 2)
    return cell.length === 1 ? 0n : (readRowId(cell[1]) ?? cellText(cell))
  return cellText(cell)
}
