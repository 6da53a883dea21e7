import type { CallContext } from '@sheaf/protos/call'
import type { DocumentCalls } from '../document-calls'

/** A table that may be gone. */
export interface TestTable {
  readonly docId: string
  readonly tableRef: number | null
}

/** No row has it. */
const TEST_ROW_ID = 0

/**
 * A made-up row as JSON, with all columns of the table and nothing in them, so that a receiver sees the form of what it
 * will get. Its id is 0, which no row has.
 */
export async function readTestRow(
  calls: Pick<DocumentCalls, 'run'>,
  { docId, tableRef }: TestTable,
  { deadline, signal, requestId }: CallContext,
): Promise<string> {
  const row: Record<string, number | null> = { id: TEST_ROW_ID, manualSort: null }
  if (tableRef === null) return JSON.stringify(row)
  const { tables } = await calls.run(docId, (clients, { token }) =>
    clients.tables.listTables({ docId, withColumns: true }, { token, deadline, signal, requestId }),
  )
  const columns = tables.find((table) => table.tableRef === tableRef)?.columns ?? []
  for (const { id } of columns) row[id] ??= null
  return JSON.stringify(row)
}
