import type { ServerCall } from '@sheaf/kit/grpc-server'
import { roleAtLeast } from '@sheaf/kit/roles'
import type {
  ExportDocumentRequest,
  ExportDocumentResponse,
  ExportService,
} from '@sheaf/protos/sheaf/document_data/v1/export'
import type { Context } from '../context'
import { requireDocument } from './document-call'

/** Gives whole documents away. */
export const exportDocument = (ctx: Context): Pick<ExportService, 'exportDocument'> => ({
  async *exportDocument(
    { docId, noHistory, template }: ExportDocumentRequest,
    call: ServerCall,
  ): AsyncGenerator<ExportDocumentResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    // What cells held before is not for those who may only look at what they hold now.
    const mayReadHistory = roleAtLeast(call.caller.role, 'editors')
    const form = { history: mayReadHistory && !noHistory && !template, data: !template }
    for await (const chunk of ctx.documents.readSnapshot(docId, form)) yield { chunk }
  },
})
