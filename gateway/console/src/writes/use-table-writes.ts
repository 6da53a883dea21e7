import { useEffect, useMemo } from 'react'
import { useDocumentContext } from '../document-context/document-context'
import { outbox } from './outbox'
import type { TableWrites } from './table/table-writes'

/** Returns the writes of a table of the open document. They stay the same when the table is renamed. */
export function useTableWrites(tableId: string): TableWrites {
  const { document, tables, asOf } = useDocumentContext()
  const tableRef = tables.find(({ id }) => id === tableId)?.fields.tableRef
  const table = useMemo(
    () => ({ docId: String(document.id), docName: document.name, tableId, tableRef }),
    [document.id, document.name, tableId, tableRef],
  )
  useEffect(() => {
    // At a former moment it may have had another name.
    if (asOf === undefined) outbox.follow(table)
  }, [asOf, table])
  return outbox.writesOf(table)
}
