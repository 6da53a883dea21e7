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

/** Adds the rows of the body. Returns their ids. */
export async function addRows(
  exchange: Exchange,
  input: Input<TableParams, WriteQuery>,
  form: RecordsForm,
): Promise<number[]> {
  const request = requestOf(input, form)
  const { rowIds } = await writeDocument(exchange, input, (home, call, options) =>
    home.records.addRecords({ ...request, options }, call),
  )
  return rowIds
}

/** Updates the rows of the body. Returns their ids for columnar bodies. */
export async function changeRows(
  exchange: Exchange,
  input: Input<TableParams, WriteQuery>,
  form: RecordsForm,
): Promise<number[]> {
  const request = requestOf(input, form)
  const { rowIds } = await writeDocument(exchange, input, (home, call, options) =>
    home.records.updateRecords({ ...request, options }, call),
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

function requestOf(
  { document, params, query, bytes }: Input<TableParams, WriteQuery>,
  form: RecordsForm,
) {
  const { tableId } = params
  return { docId: document.docId, tableId, bodyJson: bytes, noParse: query.noparse, form }
}
