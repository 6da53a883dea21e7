import { requireSystem } from '@sheaf/auth/require-access'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  AdoptDocumentRequest,
  InstanceService,
  MoveDocumentRequest,
  PrepareDocumentRequest,
  ReleaseDocumentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/instance'
import type { Context } from '../context'
import { notReplicated } from '../replication/homes/not-replicated'

/** Handlers of InstanceService. */
export const instance = (
  ctx: Pick<Context, 'documents' | 'handOvers' | 'adoptions'>,
): InstanceService => ({
  async moveDocument({ docId, to }: MoveDocumentRequest, call: ServerCall) {
    requireSystem(call)
    if (!ctx.handOvers) throw notReplicated()
    await ctx.handOvers.move(docId, to)
    return {}
  },

  async releaseDocument({ docId }: ReleaseDocumentRequest, call: ServerCall) {
    requireSystem(call)
    if (!ctx.adoptions) throw notReplicated()
    await ctx.adoptions.release(docId)
    return {}
  },

  async adoptDocument({ docId }: AdoptDocumentRequest, call: ServerCall) {
    requireSystem(call)
    if (!ctx.adoptions) throw notReplicated()
    await ctx.adoptions.adopt(docId)
    return {}
  },

  async prepareDocument({ docId }: PrepareDocumentRequest, call: ServerCall) {
    requireSystem(call)
    const { replicator } = ctx.documents.shared
    if (!replicator) throw notReplicated()
    await replicator.resume(docId)
    return {}
  },
})
