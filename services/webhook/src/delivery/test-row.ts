import type { DocumentTables } from '../webhooks/document-tables'

/** No row has it. */
const TEST_ROW_ID = 0

/**
 * A made-up row as JSON, with all columns of the table, if it is there, and nothing in them, so that a receiver sees the
 * form of what it will get. Its id is 0, which no row has.
 */
export function makeTestRow(tables: DocumentTables, tableRef: number | null): string {
  const columns = tables.listColumns(tableRef).map((id) => [id, null])
  // What comes first stays first; no column is called id.
  const row = Object.fromEntries([['id', TEST_ROW_ID], ['manualSort', null], ...columns]) as object
  return JSON.stringify(row)
}
