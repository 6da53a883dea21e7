import type { QueryClient } from '@tanstack/react-query'
import { columnsQuery, type Column } from '../../api/resources'
import { itemsText } from '../../formats/cell-text'
import { rowIds } from '../../formats/value'
import { fileNameQuery } from '../../cells/attachments/file-queries'
import type { CellContext } from '../../cells/editing/cell-type'
import { labelQuery } from '../../cells/reference/label-queries'
import { labelOf, labelSourceOf, referredIds, tableOf } from '../../cells/reference/use-labels'

/**
 * Returns the text of references and attachments: labels of rows and names of files, as far as they have been read to be shown.
 * Undefined for other cells.
 */
export function knownText(
  queries: QueryClient,
  context: Pick<CellContext, 'docId' | 'asOf'>,
  column: Column,
  value: unknown,
): string | undefined {
  const { docId, asOf } = context
  const { type } = column.fields
  if (type === 'Attachments') {
    const names = rowIds(value)?.map(
      (id) => queries.getQueryData(fileNameQuery(docId, id, asOf).queryKey) || `File ${id}`,
    )
    return names && itemsText(names)
  }
  const ids = referredIds(value, column)
  if (!ids) return undefined
  const columns = queries.getQueryData(columnsQuery(docId, tableOf(type), asOf).queryKey)
  const source = labelSourceOf(column, columns, context)
  const labels = ids.map((id) =>
    labelOf(id, source && queries.getQueryData(labelQuery(source, id).queryKey), source),
  )
  return type.startsWith('RefList:') ? itemsText(labels) : labels[0]
}
