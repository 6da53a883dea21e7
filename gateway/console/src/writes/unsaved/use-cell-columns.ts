import { useQueries } from '@tanstack/react-query'
import { columnsQuery, type Column } from '../../api/resources'
import type { UnsavedTableCell } from '../outbox'

const keyOf = ({ docId, tableId }: UnsavedTableCell) => JSON.stringify([docId, tableId])

/** Returns a function that returns the columns of the table of a cell; undefined while they are not known. */
export function useCellColumns(
  cells: readonly UnsavedTableCell[],
): (cell: UnsavedTableCell) => readonly Column[] | undefined {
  const tables = new Map(cells.map((cell) => [keyOf(cell), cell]))
  const columns = useQueries({
    queries: [...tables.values()].map(({ docId, tableId }) => columnsQuery(docId, tableId)),
    combine: (results) => results.map(({ data }) => data),
  })
  const keys = [...tables.keys()]
  return (cell) => columns[keys.indexOf(keyOf(cell))]
}
