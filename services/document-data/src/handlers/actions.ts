import type { ServerCall } from '@sheaf/auth/server-call'
import {
  ApplyActionsResponse,
  type ActionsService,
  type ApplyActionsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/actions'
import { readActions, type RowAction } from '../bodies/actions-body'
import type { Context } from '../context'
import { applyActions } from '../store/records/actions'
import { requireDocument } from './document-call'
import { isStrict, runWrite } from './document-options'

/** Handlers of ActionsService: row changes in the format of older clients. */
export const actions = (ctx: Context): ActionsService => ({
  async applyActions(
    request: ApplyActionsRequest,
    call: ServerCall,
  ): Promise<ApplyActionsResponse> {
    const { docId, bodyJson, noParse } = request
    requireDocument(ctx, call, docId, 'editors')
    const list = readActions(bodyJson)
    return runWrite(ctx, call, request, {
      response: ApplyActionsResponse,
      run: (doc) => {
        const added = applyActions(doc, list, { noParse, strict: isStrict(request) })
        const results = list.map((action, index) => resultOf(action, added[index] ?? []))
        return {
          resultsJson: Buffer.from(JSON.stringify(results)),
          isModification: doc.operations.length > 0,
        }
      },
    })
  },
})

function resultOf({ kind, isBulk }: RowAction, added: readonly number[]): unknown {
  if (kind !== 'add') return null
  return isBulk ? added : added[0]
}
