import type { ServerCall } from '@sheaf/auth/server-call'
import {
  ApplyBatchResponse,
  type ActionsService,
  type ApplyBatchRequest,
} from '@sheaf/protos/sheaf/document_data/v1/actions'
import { readBatch } from '../bodies/batch-body'
import type { Context } from '../context'
import { applyBatch, type BatchResult } from '../store/batch/batch'
import type { BatchOperation } from '../store/batch/operations'
import { requireDocument } from './document-call'
import { isStrict, runWrite } from './document-options'

/** Handler of batches. */
export const batch = (ctx: Context): Pick<ActionsService, 'applyBatch'> => ({
  async applyBatch(request: ApplyBatchRequest, call: ServerCall): Promise<ApplyBatchResponse> {
    const { docId, bodyJson, noParse } = request
    requireDocument(ctx, call, docId, 'editors')
    const operations = readBatch(bodyJson)
    return runWrite(ctx, call, request, {
      response: ApplyBatchResponse,
      run: (doc) => {
        const result = applyBatch(doc, operations, { noParse, strict: isStrict(request) })
        return {
          resultJson: Buffer.from(JSON.stringify(toJson(operations, result))),
          isModification: doc.operations.length > 0,
        }
      },
    })
  },
})

function toJson(asked: readonly BatchOperation[], { operations, temporaryIds }: BatchResult) {
  return {
    operations: asked.map((operation, index) => ({
      op: operation.op,
      ...('table' in operation && { table: operation.table }),
      ...operations[index],
    })),
    tempIds: temporaryIds,
  }
}
