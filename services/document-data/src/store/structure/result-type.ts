import { isErrorSql } from '../../values/error-cells'
import { tag } from '../../values/tagged-text'
import { quoteId } from '../../quoting/quote'
import type { DocumentReader } from '../document'
import type { StoredTable } from './storage-layout'

/** Number of results that are looked at. */
const SAMPLE = 1000
/** Minimum share of them that must fit. */
const ENOUGH = 0.9

/**
 * The type for a column of any values that becomes a data column and keeps the results of its formula: Numeric or Bool if
 * nine of ten of the first results fit, otherwise Text. Errors and empty results do not count.
 */
export function guessResultType(
  { connection }: DocumentReader,
  { tableId }: StoredTable,
  colId: string,
): string {
  const cell = quoteId(colId)
  const [count = 0, numbers = 0, truths = 0] =
    connection
      .raw<[number, number, number]>(
        `SELECT count(*), coalesce(sum(typeof(value) IN ('integer', 'real')), 0), coalesce(sum(value IN (?, ?)), 0)
         FROM (SELECT ${cell} AS value FROM ${quoteId(tableId)}
               WHERE ${cell} IS NOT NULL AND NOT (${isErrorSql(cell)}) ORDER BY id LIMIT ${SAMPLE})`,
      )
      .get(tag(true), tag(false)) ?? []
  if (count === 0) return 'Text'
  if (truths >= count * ENOUGH) return 'Bool'
  return numbers >= count * ENOUGH ? 'Numeric' : 'Text'
}
