import type { QueryClient } from '@tanstack/react-query'
import { columnsQuery, type Column } from '../../api/resources'
import { fileNameQuery } from '../../cells/attachments/file-queries'
import type { CellContext } from '../../cells/editing/cell-type'
import { labelColumn, labelQuery } from '../../cells/reference/label-queries'
import { tableOf } from '../../cells/reference/use-labels'
import { rowIds } from '../../formats/value'
import { cellTexts } from './cell-texts'

/** Resolves to the texts of a cell, those of the rows and files that it names included. */
export async function shownTexts(
  queries: QueryClient,
  context: CellContext,
  column: Column,
  value: unknown,
): Promise<readonly string[]> {
  const own = cellTexts(value, column)
  const { docId, asOf } = context
  const { type, visibleCol } = column.fields
  const ids = typeof value === 'number' ? [value] : (rowIds(value) ?? [])
  if (type === 'Attachments') {
    const names = ids.map((id) => queries.fetchQuery(fileNameQuery(docId, id, asOf)))
    return (await Promise.all(names)).flatMap((name) => name ?? [])
  }
  if (!/^Ref(List)?:/.test(type) || ids.length === 0) return own
  const tableId = tableOf(type)
  const columns = await queries.ensureQueryData(columnsQuery(docId, tableId, asOf))
  const label = labelColumn(columns, visibleCol)
  if (!label) return own
  const source = { docId, tableId, column: label, asOf }
  const named = ids.filter((id) => id > 0)
  const labels = await Promise.all(named.map((id) => queries.fetchQuery(labelQuery(source, id))))
  const shown = labels.flatMap((found) => (found ? cellTexts(found.value, label) : []))
  return [...shown, ...own]
}
