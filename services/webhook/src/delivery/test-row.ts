import type { DocumentTables } from '../webhooks/document-tables'

/** No row has it. */
const TEST_ROW_ID = 0

/**
 * Returns a test row as JSON, with all columns of the table, if it exists, and empty cells, so that a
 * receiver sees the shape of a delivery. Its id is 0, which no real row has.
 */
export function makeTestRow(tables: DocumentTables, tableRef: number | null): string {
  const columns = tables.listColumns(tableRef).map((id) => [id, null])
  // Keys keep this order, since no column is called id.
  const row = Object.fromEntries([['id', TEST_ROW_ID], ['manualSort', null], ...columns]) as object
  return JSON.stringify(row)
}
