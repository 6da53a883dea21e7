import type { ServerCall } from '@sheaf/kit/grpc-server'
import type {
  ActionsService,
  ApplyActionsRequest,
  ApplyActionsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/actions'
import { readActions, type RowAction } from '../bodies/actions-body'
import type { Context } from '../context'
import { applyActions } from '../store/actions'
import { authorOf, requireDocument } from './document-call'

/** Changes of rows in the form that older clients use. */
export const actions = (ctx: Context): ActionsService => ({
  async applyActions(
    { docId, bodyJson, noParse }: ApplyActionsRequest,
    call: ServerCall,
  ): Promise<ApplyActionsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    const list = readActions(bodyJson)
    const { result, seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => {
        const added = applyActions(doc, list, { noParse })
        return { added, isModification: doc.operations.length > 0 }
      },
      call.signal,
    )
    const results = list.map((action, index) => resultOf(action, result.added[index] ?? []))
    const resultsJson = Buffer.from(JSON.stringify(results))
    return { resultsJson, isModification: result.isModification, seq }
  },
})

function resultOf({ kind, isBulk }: RowAction, added: readonly number[]): unknown {
  if (kind !== 'add') return null
  return isBulk ? added : added[0]
}
