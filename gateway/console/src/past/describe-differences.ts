import type { TableDifferences } from './restore-queries'

/** Describes in a line how many columns and rows of a table differ. */
export function describeDifferences(table: TableDifferences): string {
  const { tableId, change } = table
  const verbs = { added: 'is added', removed: 'is deleted', changed: 'is changed', none: '' }
  const parts = [verbs[change], countOf('column', table.columns), countOf('row', table.rows)]
  return `Table ${tableId}: ${parts.filter((part) => part !== '').join('; ')}`
}

/** Such as “1 row added, 20 changed”. */
function countOf(noun: string, counts: TableDifferences['rows']): string {
  const { added, removed, changed } = counts
  const parts = [
    [added, 'added'],
    [removed, 'deleted'],
    [changed, 'changed'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, verb], index) => {
      const name = index > 0 ? '' : ` ${noun}${count === 1 ? '' : 's'}`
      return `${count.toLocaleString()}${name} ${verb}`
    })
    .join(', ')
}
