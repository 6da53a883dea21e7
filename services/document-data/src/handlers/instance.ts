import { requireSystem } from '@sheaf/auth/require-access'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import type {
  InstanceService,
  MoveDocumentRequest,
  PrepareDocumentsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/instance'
import type { Context } from '../context'
import { notReplicated } from '../replication/hand-overs'

/** Documents that are made ready by one call. */
const MAX_PREPARED = 1000

/** Handlers of InstanceService. */
export const instance = (ctx: Pick<Context, 'documents' | 'handOvers'>): InstanceService => ({
  async moveDocument({ docId, to }: MoveDocumentRequest, call: ServerCall) {
    requireSystem(call)
    if (!ctx.handOvers) throw notReplicated()
    await ctx.handOvers.move(docId, to)
    return {}
  },

  async prepareDocuments({ docIds }: PrepareDocumentsRequest, call: ServerCall) {
    requireSystem(call)
    const { replicator } = ctx.documents.shared
    if (!replicator) throw notReplicated()
    if (docIds.length > MAX_PREPARED)
      throw new AppError('invalid', 'BAD_FIELD', `at most ${MAX_PREPARED} documents`, {
        field: 'doc_ids',
      })
    await replicator.takeOverDocuments(docIds)
    return {}
  },
})
