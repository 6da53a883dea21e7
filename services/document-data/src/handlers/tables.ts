import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  AddTablesResponse,
  ListTablesResponse,
  UpdateTablesResponse,
  type AddTablesRequest,
  type ListTablesRequest,
  type NewTable as WireNewTable,
  type Table as WireTable,
  type TablesService,
  type TableUpdate,
  type UpdateTablesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { Context } from '../context'
import type { NewColumn } from '../store/structure/columns'
import { requireTargets } from '../store/schema/reference-targets'
import type { Table } from '../store/schema/schema'
import { updateTables } from '../store/structure/table-updates'
import { addTables, listTables, type NewTable } from '../store/structure/tables'
import { columnFromWire, columnToWire, requireSame, typeOf } from './column-wire'
import { requireDocument } from './document-call'
import { isStrict, runRead, runWrite } from './document-options'
import { views } from './views'

/** Handlers of TablesService. */
export const tables = (ctx: Context): TablesService => ({
  ...views(ctx),

  async listTables(request: ListTablesRequest, call: ServerCall): Promise<ListTablesResponse> {
    requireDocument(ctx, call, request.docId, 'viewers')
    return runRead(ctx, request, ListTablesResponse, (doc) => ({
      tables: listTables(doc).map((table) => tableToWire(table, request.withColumns)),
    }))
  },

  async addTables(request: AddTablesRequest, call: ServerCall): Promise<AddTablesResponse> {
    const { docId, tables: wished } = request
    requireDocument(ctx, call, docId, 'editors')
    requireSome(wished)
    const made = wished.map(tableFromWire)
    return runWrite(ctx, call, request, {
      response: AddTablesResponse,
      run: (doc) => {
        const tableIds = addTables(doc, made)
        if (isStrict(request))
          requireTargets(
            doc.schema,
            wished.flatMap(({ columns }) => columns.map(typeOf)),
          )
        return { tableIds }
      },
    })
  },

  async updateTables(
    request: UpdateTablesRequest,
    call: ServerCall,
  ): Promise<UpdateTablesResponse> {
    const { docId, tables: wished } = request
    requireDocument(ctx, call, docId, 'editors')
    requireSome(wished)
    const updates = wished.map(({ id, tableId, onDemand }) => ({
      id,
      change: { tableId, onDemand },
    }))
    return runWrite(ctx, call, request, {
      response: UpdateTablesResponse,
      run: (doc) => {
        for (const update of wished) requireSameRefs(doc.schema.getWritable(update.id), update)
        updateTables(doc, updates)
        return {}
      },
    })
  },
})

function requireSome(tables: readonly unknown[]): void {
  if (tables.length === 0)
    throw new AppError('invalid', 'NO_TABLES', 'tables must have at least one item')
}

/** Refs are immutable; an update may contain the ref of the table to identify it. */
function requireSameRefs(table: Table, update: TableUpdate): void {
  requireSame(`table "${table.tableId}"`, {
    tableRef: [update.tableRef, table.ref],
    primaryViewId: [update.primaryViewId, table.primaryViewId],
    summarySourceTable: [update.summarySourceTable, table.summarySourceTable],
    rawViewSectionRef: [update.rawViewSectionRef, table.rawViewSectionRef],
    recordCardViewSectionRef: [update.recordCardViewSectionRef, table.recordCardViewSectionRef],
  })
}

function tableToWire(table: Table, withColumns: boolean): WireTable {
  const columns = withColumns ? table.columns.filter(({ hidden }) => !hidden) : []
  return {
    id: table.tableId,
    tableRef: table.ref,
    primaryViewId: table.primaryViewId,
    summarySourceTable: table.summarySourceTable,
    onDemand: table.onDemand,
    rawViewSectionRef: table.rawViewSectionRef,
    recordCardViewSectionRef: table.recordCardViewSectionRef,
    columns: columns.map((column) => columnToWire(column, table.ref)),
  }
}

function tableFromWire({ id, columns }: WireNewTable): NewTable {
  if (columns.length === 0)
    throw new AppError('invalid', 'NO_COLUMNS', 'columns must have at least one item')
  return { id, columns: columns.map(newColumn) }
}

/**
 * Columns created with their table are data columns unless they have a formula. They are in the order of the request, and have
 * no rules, which name other columns.
 */
function newColumn(column: Parameters<typeof columnFromWire>[0]): NewColumn {
  const { id, fields } = columnFromWire(column, ({ formula }) => (formula ?? '') !== '')
  return { id, fields: { ...fields, position: undefined, rules: undefined } }
}
