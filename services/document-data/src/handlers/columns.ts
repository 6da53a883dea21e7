import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import type {
  AddColumnsRequest,
  AddColumnsResponse,
  ColumnsService,
  ListColumnsRequest,
  ListColumnsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { Context } from '../context'
import { addColumns, listColumns } from '../store/columns'
import { columnFromWire, columnToWire } from './column-wire'
import { authorOf, requireDocument } from './document-call'

/** The columns of tables. */
export const columns = (ctx: Context): ColumnsService => ({
  async listColumns(
    { docId, tableId, hidden }: ListColumnsRequest,
    call: ServerCall,
  ): Promise<ListColumnsResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    return ctx.documents.read(docId, (doc) => {
      const table = doc.schema.getReadable(tableId)
      const listed = listColumns(doc, tableId, hidden)
      return { columns: listed.map((column) => columnToWire(column, table.ref)), seq: doc.seq }
    })
  },

  async addColumns(
    { docId, tableId, columns: wished }: AddColumnsRequest,
    call: ServerCall,
  ): Promise<AddColumnsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    if (wished.length === 0)
      throw new AppError('invalid', 'NO_COLUMNS', 'columns must have at least one item')
    // Added one by one, columns are empty until somebody writes to them.
    const made = wished.map((column) => columnFromWire(column, () => true))
    const { result, seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => addColumns(doc, tableId, made),
      call.signal,
    )
    return { columnIds: result, seq }
  },
})
