import { requireDocumentRole, requireSystem } from '@sheaf/auth/require-access'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  DeleteDocumentRequest,
  DeleteDocumentResponse,
  DocumentsService,
} from '@sheaf/protos/sheaf/webhook/v1/documents'
import type { Context } from '../context'
import { deleteDocument } from '../db/documents'

/** Handles deletion of documents. */
export const documents = ({ db }: Context): DocumentsService => ({
  async deleteDocument(
    { docId }: DeleteDocumentRequest,
    call: ServerCall,
  ): Promise<DeleteDocumentResponse> {
    requireSystem(call)
    requireDocumentRole(call, docId, 'owners')
    await deleteDocument(db, docId)
    return {}
  },
})
