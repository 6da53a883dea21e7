import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import type {
  AddColumnsRequest,
  AddColumnsResponse,
  AddOrUpdateColumnsRequest,
  AddOrUpdateColumnsResponse,
  ColumnsService,
  DeleteColumnRequest,
  DeleteColumnResponse,
  ListColumnsRequest,
  ListColumnsResponse,
  UpdateColumnsRequest,
  UpdateColumnsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { Context } from '../context'
import { removeColumn } from '../store/column-removal'
import { addOrUpdateColumns, updateColumns } from '../store/column-updates'
import { addColumns, listColumns } from '../store/columns'
import { changeFromWire, columnFromWire, columnToWire, requireSameRefs } from './column-wire'
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
    requireSome(wished)
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

  async updateColumns(
    { docId, tableId, columns: wished }: UpdateColumnsRequest,
    call: ServerCall,
  ): Promise<UpdateColumnsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    requireSome(wished)
    const updates = wished.map((update) => ({ id: update.id, change: changeFromWire(update) }))
    const { seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => {
        const table = doc.schema.getWritable(tableId)
        for (const update of wished) requireSameRefs(table, update)
        updateColumns(doc, tableId, updates)
      },
      call.signal,
    )
    return { seq }
  },

  async addOrUpdateColumns(
    request: AddOrUpdateColumnsRequest,
    call: ServerCall,
  ): Promise<AddOrUpdateColumnsResponse> {
    const { docId, tableId, columns: wished, noAdd, noUpdate, replaceAll } = request
    requireDocument(ctx, call, docId, 'editors')
    requireSome(wished)
    const wishes = wished.map((update) => ({
      id: update.id,
      change: changeFromWire(update),
      make: columnFromWire(update, () => true),
    }))
    const { seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => {
        const table = doc.schema.getWritable(tableId)
        if (!noUpdate) for (const update of wished) requireSameRefs(table, update)
        addOrUpdateColumns(doc, tableId, wishes, { noAdd, noUpdate, replaceAll })
      },
      call.signal,
    )
    return { seq }
  },

  async deleteColumn(
    { docId, tableId, columnId }: DeleteColumnRequest,
    call: ServerCall,
  ): Promise<DeleteColumnResponse> {
    requireDocument(ctx, call, docId, 'editors')
    const { seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => removeColumn(doc, tableId, columnId),
      call.signal,
    )
    return { seq }
  },
})

function requireSome(columns: readonly unknown[]): void {
  if (columns.length === 0)
    throw new AppError('invalid', 'NO_COLUMNS', 'columns must have at least one item')
}
