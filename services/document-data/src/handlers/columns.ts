import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import {
  AddColumnsResponse,
  ListColumnsResponse,
  type AddColumnsRequest,
  type ColumnsService,
  type ListColumnsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { Context } from '../context'
import { addColumns, listColumns } from '../store/columns'
import { columnFromWire, columnToWire } from './column-wire'
import { requireDocument } from './document-call'
import { runRead, runWrite } from './document-options'

/** The columns of tables. */
export const columns = (ctx: Context): ColumnsService => ({
  async listColumns(request: ListColumnsRequest, call: ServerCall): Promise<ListColumnsResponse> {
    const { docId, tableId, hidden } = request
    requireDocument(ctx, call, docId, 'viewers')
    return runRead(ctx, request, ListColumnsResponse, (doc) => {
      const table = doc.schema.getReadable(tableId)
      const listed = listColumns(doc, tableId, hidden)
      return { columns: listed.map((column) => columnToWire(column, table.ref)) }
    })
  },

  async addColumns(request: AddColumnsRequest, call: ServerCall): Promise<AddColumnsResponse> {
    const { docId, tableId, columns: wished } = request
    requireDocument(ctx, call, docId, 'editors')
    if (wished.length === 0)
      throw new AppError('invalid', 'NO_COLUMNS', 'columns must have at least one item')
    // Added one by one, columns are empty until somebody writes to them.
    const made = wished.map((column) => columnFromWire(column, () => true))
    return runWrite(ctx, call, request, {
      response: AddColumnsResponse,
      run: (doc) => ({ columnIds: addColumns(doc, tableId, made) }),
    })
  },
})
