import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  AddViewsResponse,
  DeleteViewResponse,
  ListViewsResponse,
  UpdateViewsResponse,
  type AddViewsRequest,
  type DeleteViewRequest,
  type ListViewsRequest,
  type UpdateViewsRequest,
  type TablesService,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { Context } from '../context'
import { addViews, listViews, MAX_VIEWS, removeView, updateViews } from '../store/views/views'
import { requireDocument } from './document-call'
import { runRead, runWrite } from './document-options'
import { viewFromWire, viewToWire } from './view-wire'

/** Handlers of TablesService that concern views. */
export const views = (
  ctx: Context,
): Pick<TablesService, 'listViews' | 'addViews' | 'updateViews' | 'deleteView'> => ({
  async listViews(request: ListViewsRequest, call: ServerCall): Promise<ListViewsResponse> {
    const { docId, tableId } = request
    requireDocument(ctx, call, docId, 'viewers')
    return runRead(ctx, request, ListViewsResponse, (doc) => ({
      views: listViews(doc, tableId).map(viewToWire),
    }))
  },

  async addViews(request: AddViewsRequest, call: ServerCall): Promise<AddViewsResponse> {
    const { docId, tableId } = request
    requireDocument(ctx, call, docId, 'editors')
    requireSome(request.views)
    const wished = request.views.map(viewFromWire)
    return runWrite(ctx, call, request, {
      response: AddViewsResponse,
      run: (doc) => ({ viewIds: addViews(doc, tableId, wished) }),
    })
  },

  async updateViews(request: UpdateViewsRequest, call: ServerCall): Promise<UpdateViewsResponse> {
    const { docId, tableId } = request
    requireDocument(ctx, call, docId, 'editors')
    requireSome(request.views)
    const updates = request.views.map(({ id, fields }) => ({ id, change: viewFromWire(fields) }))
    return runWrite(ctx, call, request, {
      response: UpdateViewsResponse,
      run: (doc) => {
        updateViews(doc, tableId, updates)
        return {}
      },
    })
  },

  async deleteView(request: DeleteViewRequest, call: ServerCall): Promise<DeleteViewResponse> {
    requireDocument(ctx, call, request.docId, 'editors')
    return runWrite(ctx, call, request, {
      response: DeleteViewResponse,
      run: (doc) => {
        removeView(doc, request.tableId, request.viewId)
        return {}
      },
    })
  },
})

function requireSome(views: readonly unknown[]): void {
  if (views.length === 0 || views.length > MAX_VIEWS)
    throw new AppError('invalid', 'BAD_FIELD', `views must have 1 to ${MAX_VIEWS} items`)
}
