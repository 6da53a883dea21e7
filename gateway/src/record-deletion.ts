import { writeDocument } from './document-options'
import type { Exchange } from './exchange'
import { sendNull } from './reply'
import type { Input } from './route'

/** Deletes the rows whose ids are the body: what the routes of records and of columnar data do alike. */
export async function deleteRecords(
  exchange: Exchange,
  input: Input<{ tableId: string }>,
): Promise<void> {
  const { document, params, bytes } = input
  const request = { docId: document.docId, tableId: params.tableId, bodyJson: bytes }
  await writeDocument(exchange, input, (home, call, options) =>
    home.records.deleteRecords({ ...request, options }, call),
  )
  sendNull(exchange)
}
