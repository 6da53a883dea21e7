import type { ServerCall } from '@sheaf/auth/server-call'
import {
  ApplyActionsResponse,
  type ActionsService,
  type ApplyActionsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/actions'
import { readActions, type Action } from '../bodies/actions-body'
import type { Context } from '../context'
import { applyActions, type ActionResult } from '../store/records/actions'
import type { Table } from '../store/schema/schema'
import { batch } from './batch'
import { requireDocument } from './document-call'
import { isStrict, runWrite } from './document-options'

/** Handlers of ActionsService: batches, and changes in the format of older clients. */
export const actions = (ctx: Context): ActionsService => ({
  ...batch(ctx),

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
        const applied = applyActions(doc, list, { noParse, strict: isStrict(request) })
        const results = list.map((action, index) => resultOf(action, applied[index] ?? {}))
        return {
          resultsJson: Buffer.from(JSON.stringify(results)),
          isModification: doc.operations.length > 0,
        }
      },
    })
  },
})

/** The result of an action as clients expect it. */
function resultOf(action: Action, { rowIds = [], table, column }: ActionResult): unknown {
  switch (action.kind) {
    case 'add':
      return action.isBulk ? rowIds : rowIds[0]
    case 'add_table':
      return table && newTableResult(table)
    case 'add_column':
      return column && { colRef: column.ref, colId: column.id }
    case 'rename_table':
      return table?.tableId
    case 'rename_column':
      return column?.id
    default:
      return null
  }
}

function newTableResult({ ref, tableId, columns }: Table): object {
  const colIds = columns.map(({ id }) => id).filter((id) => id !== 'manualSort')
  // Sheaf has no views.
  return { id: ref, table_id: tableId, columns: colIds, views: [] }
}
