import type { RecordsForm } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { Exchange } from '../http/exchange'
import { sendNull } from '../http/reply'
import type { Input } from '../routing/route'
import { writeDocument } from './conditional-requests'

/* Shared by the routes of records and of columnar data: the same calls with bodies of different shapes. */

interface TableParams {
  tableId: string
}

interface WriteQuery {
  noparse: boolean
}

/** Writes the rows of the body. Returns the ids of added rows, and of updated ones for columnar bodies. */
export async function writeRows(
  exchange: Exchange,
  input: Input<TableParams, WriteQuery>,
  { rpc, form }: { rpc: 'addRecords' | 'updateRecords'; form: RecordsForm },
): Promise<number[]> {
  const { document, params, query, bytes } = input
  const { tableId } = params
  const request = { docId: document.docId, tableId, bodyJson: bytes, noParse: query.noparse, form }
  const { rowIds } = await writeDocument(exchange, input, (home, call, options) =>
    home.records[rpc]({ ...request, options }, call),
  )
  return rowIds
}

/** Deletes the rows whose ids are the body, and responds. */
export async function deleteRows(exchange: Exchange, input: Input<TableParams>): Promise<void> {
  const { document, params, bytes } = input
  const request = { docId: document.docId, tableId: params.tableId, bodyJson: bytes }
  await writeDocument(exchange, input, (home, call, options) =>
    home.records.deleteRecords({ ...request, options }, call),
  )
  sendNull(exchange)
}
