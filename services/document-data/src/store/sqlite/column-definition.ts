import { quoteId, quoteText } from '../../quoting/quote'
import type { ColumnType } from '../../values/column-type'

/**
 * The definition of a column in CREATE TABLE and ADD COLUMN. Only text columns have an affinity: any other
 * would convert text stored as is into numbers. The cells of a computed column are null at first.
 */
export function columnDefinition({
  id,
  type,
  isComputed,
}: {
  readonly id: string
  readonly type: ColumnType
  readonly isComputed: boolean
}): string {
  const value = isComputed ? null : type.defaultValue
  const fallback = typeof value === 'string' ? quoteText(value) : String(value)
  return `${quoteId(id)} ${type.affinity}${value === null ? '' : ` DEFAULT ${fallback}`}`
}
