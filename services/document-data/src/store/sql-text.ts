import { quoteId, quoteText } from '../query/quote'
import type { ColumnType } from '../values/column-type'

/**
 * A column as it stands in CREATE TABLE and ADD COLUMN. Only text columns have an affinity: the others would turn text
 * that was kept as it is into numbers.
 */
export function columnDefinition(id: string, type: ColumnType): string {
  const value = type.defaultValue
  const fallback = typeof value === 'string' ? quoteText(value) : String(value)
  return `${quoteId(id)} ${type.affinity}${value === null ? '' : ` DEFAULT ${fallback}`}`
}
