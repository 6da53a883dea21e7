import { quoteId, quoteText } from '../../quoting/quote'
import type { ColumnType } from '../../values/column-type'

/**
 * A column as it stands in CREATE TABLE and ADD COLUMN. Only text columns have an affinity: the others would turn text
 * that was kept as it is into numbers. The cells of a computed column begin as null.
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
