import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  ReadRecordsRequest,
  ReadRecordsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import type { Context } from '../context'
import { readFormerRecords } from '../moments/former-records'
import { pastId } from '../moments/past-documents'
import { readerOf } from './document-call'
import { isKnown } from './document-options'
import { RecordsPage } from './records-page'
import { recordsQuery } from './records-query'
import { notModified, replyMessages } from './records-reply'

/**
 * Answers a read of records as of a former moment without a file of the moment; undefined where that is not possible: see
 * `readFormerRecords`. The answer is the same, cursors included.
 */
export async function formerRecords(
  ctx: Context,
  request: ReadRecordsRequest,
  call: ServerCall,
  seq: number,
): Promise<AsyncGenerator<ReadRecordsResponse, void> | undefined> {
  const { docId, options } = request
  const { epoch } = ctx.documents.stateOf(docId)
  const current = { epoch, seq, isPending: false }
  if (options && isKnown(options, current)) return only(notModified(current))
  // Cursors are those of the document of the moment.
  const past = { ...request, docId: pastId(docId, epoch, seq) }
  const page = RecordsPage.of(ctx.cursors, past, epoch)
  const query = recordsQuery(past, page)
  const reply = await readFormerRecords(ctx.documents, { docId, seq }, query, readerOf(call))
  return reply && replyMessages(reply, past, { page, current })
}

async function* only(message: ReadRecordsResponse): AsyncGenerator<ReadRecordsResponse, void> {
  yield await Promise.resolve(message)
}
