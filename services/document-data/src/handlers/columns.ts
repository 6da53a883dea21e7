import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  AddColumnsResponse,
  AddOrUpdateColumnsResponse,
  DeleteColumnResponse,
  ListColumnsResponse,
  UpdateColumnsResponse,
  type AddColumnsRequest,
  type AddOrUpdateColumnsRequest,
  type ColumnsService,
  type DeleteColumnRequest,
  type ListColumnsRequest,
  type UpdateColumnsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { Context } from '../context'
import { requireTargets } from '../store/schema/reference-targets'
import { removeColumn } from '../store/structure/column-removal'
import { addOrUpdateColumns, updateColumns } from '../store/structure/column-updates'
import { addColumns, listColumns } from '../store/structure/columns'
import { columnValues } from './column-values'
import {
  changeFromWire,
  columnFromWire,
  columnToWire,
  requireSameRefs,
  typeOf,
} from './column-wire'
import { requireDocument } from './document-call'
import { isStrict, runRead, runWrite } from './document-options'

/** Handlers of ColumnsService. */
export const columns = (
  ctx: Context,
): Omit<ColumnsService, 'listFormulaTimings' | 'recalculateFormulas' | 'checkFormula'> => ({
  ...columnValues(ctx),

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
    requireSome(wished)
    // A column added without a formula is an empty column until values are written to it.
    const made = wished.map((column) => columnFromWire(column, () => true))
    return runWrite(ctx, call, request, {
      response: AddColumnsResponse,
      run: (doc) => {
        const columnIds = addColumns(doc, tableId, made)
        if (isStrict(request)) requireTargets(doc.schema, wished.map(typeOf))
        return { columnIds }
      },
    })
  },

  async updateColumns(
    request: UpdateColumnsRequest,
    call: ServerCall,
  ): Promise<UpdateColumnsResponse> {
    const { docId, tableId, columns: wished } = request
    requireDocument(ctx, call, docId, 'editors')
    requireSome(wished)
    const updates = wished.map((update) => ({ id: update.id, change: changeFromWire(update) }))
    return runWrite(ctx, call, request, {
      response: UpdateColumnsResponse,
      run: (doc) => {
        const table = doc.schema.getWritable(tableId)
        for (const update of wished) requireSameRefs(table, update)
        updateColumns(doc, tableId, updates)
        if (isStrict(request)) requireTargets(doc.schema, wished.map(typeOf))
        return {}
      },
    })
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
    return runWrite(ctx, call, request, {
      response: AddOrUpdateColumnsResponse,
      run: (doc) => {
        const table = doc.schema.getWritable(tableId)
        if (!noUpdate) for (const update of wished) requireSameRefs(table, update)
        addOrUpdateColumns(doc, tableId, wishes, { noAdd, noUpdate, replaceAll })
        if (isStrict(request)) requireTargets(doc.schema, wished.map(typeOf))
        return {}
      },
    })
  },

  async deleteColumn(
    request: DeleteColumnRequest,
    call: ServerCall,
  ): Promise<DeleteColumnResponse> {
    requireDocument(ctx, call, request.docId, 'editors')
    return runWrite(ctx, call, request, {
      response: DeleteColumnResponse,
      run: (doc) => {
        removeColumn(doc, request.tableId, request.columnId)
        return {}
      },
    })
  },
})

function requireSome(columns: readonly unknown[]): void {
  if (columns.length === 0)
    throw new AppError('invalid', 'NO_COLUMNS', 'columns must have at least one item')
}
