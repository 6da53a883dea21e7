import { useQuery } from '@tanstack/react-query'
import { columnsQuery, VIEWS_TABLE, type Column, type Table } from '../api/resources'
import { labelQuery, type LabelSource } from '../cells/reference/label-queries'
import { useCellText } from '../cells/reference/use-labels'
import { useDocumentContext } from '../document-context/document-context'
import { formatCell } from '../formats/cell'
import { sampleColumnOf } from '../formats/column'
import { shorten } from '../formats/shorten'
import { changedValue, VIEWS_REF, type ChangedRow } from './changed-cells'
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
  const [first] = useColumnsOf(table)
  const source = table && first && { docId, tableId: table.id, column: first, asOf }
  const text = useCellText(useCell(row, operations, source), first, { docId, asOf })
  return { table, label: shorten(text.trim(), MAX_LABEL) }
}

/** A view as people know it. */
interface NamedView {
  /** Empty if it is not known. */
  readonly name: string
  /** Its table; undefined if it was deleted, or is not known. */
  readonly table: Table | undefined
}

const nameColumn: Column = { ...sampleColumnOf('Text'), id: 'name' }
const tableColumn: Column = { ...sampleColumnOf('Int'), id: 'tableRef' }

/** Returns the name and table of a view of a change, as `useRowLabel`. Other rows have none. */
export function useNamedView(
  row: ChangedRow | undefined,
  operations: readonly Operation[],
): NamedView {
  const { docId, tables, asOf } = useDocumentContext()
  const view = row?.tableRef === VIEWS_REF ? row : undefined
  const source = { docId, tableId: VIEWS_TABLE, asOf }
  const name = useCell(view, operations, { ...source, column: nameColumn })
  const tableRef = useCell(view, operations, { ...source, column: tableColumn })
  return {
    name: formatCell(name, nameColumn),
    table: tables.find(({ fields }) => fields.tableRef === tableRef),
  }
}

/** Returns a cell of a row of a change: as the change has it, and otherwise at the shown moment. */
function useCell(
  row: ChangedRow | undefined,
  operations: readonly Operation[],
  source: LabelSource | undefined,
): unknown {
  const changed = row && source && changedValue(operations, row, source.column)
  const isRead = row !== undefined && changed === undefined
  const { data } = useQuery(labelQuery(isRead ? source : undefined, row?.rowId ?? 0))
  return isRead ? data?.value : changed
}

const NO_COLUMNS: readonly Column[] = []

/** The columns of a table at the shown moment; empty before they are loaded. */
export function useColumnsOf(table: Table | undefined): readonly Column[] {
  const { docId, asOf } = useDocumentContext()
  const query = columnsQuery(docId, table?.id ?? '', asOf)
  return useQuery({ ...query, enabled: table !== undefined }).data ?? NO_COLUMNS
}
