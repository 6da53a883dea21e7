import { useQuery } from '@tanstack/react-query'
import { columnsQuery, type Column, type Table } from '../api/resources'
import { labelQuery } from '../cells/reference/label-queries'
import { useCellText } from '../cells/reference/use-labels'
import { useDocumentContext } from '../document-context/document-context'
import { shorten } from '../formats/shorten'
import { changedValue, type ChangedRow } from './changed-cells'
import type { Operation } from './history-queries'

/** Characters of a label; values can be long. */
const MAX_LABEL = 100

/** A row as people know it. */
interface NamedRow {
  /** Its table at the shown moment; undefined if it was deleted. */
  readonly table: Table | undefined
  /** What the first column has: in the change if it is there, and otherwise at the shown moment. Empty if it is not known. */
  readonly label: string
}

/** Returns the label of a row of a change. Without a row, nothing is read. */
export function useRowLabel(
  row: ChangedRow | undefined,
  operations: readonly Operation[],
): NamedRow {
  const { docId, tables, asOf } = useDocumentContext()
  const table = tables.find(({ fields }) => fields.tableRef === row?.tableRef)
  const first = useFirstColumn(table)
  const changed = first && row && changedValue(operations, row, first.fields.colRef)
  const source = table && first && { docId, tableId: table.id, column: first, asOf }
  const isRead = source !== undefined && changed === undefined
  const { data } = useQuery(labelQuery(isRead ? source : undefined, row?.rowId ?? 0))
  const text = useCellText(isRead ? data?.value : changed, first, { docId, asOf })
  return { table, label: shorten(text.trim(), MAX_LABEL) }
}

function useFirstColumn(table: Table | undefined): Column | undefined {
  const { docId, asOf } = useDocumentContext()
  const query = columnsQuery(docId, table?.id ?? '', asOf)
  return useQuery({ ...query, enabled: table !== undefined }).data?.[0]
}
