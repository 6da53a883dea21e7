import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import {
  AddTablesResponse,
  ListTablesResponse,
  type AddTablesRequest,
  type ListTablesRequest,
  type NewTable as WireNewTable,
  type Table as WireTable,
  type TablesService,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { Context } from '../context'
import type { NewColumn } from '../store/columns'
import type { Table } from '../store/schema'
import { addTables, listTables, type NewTable } from '../store/tables'
import { columnFromWire, columnToWire } from './column-wire'
import { requireDocument } from './document-call'
import { runRead, runWrite } from './document-options'

/** The tables of documents. */
export const tables = (ctx: Context): TablesService => ({
  async listTables(request: ListTablesRequest, call: ServerCall): Promise<ListTablesResponse> {
    requireDocument(ctx, call, request.docId, 'viewers')
    return runRead(ctx, request, ListTablesResponse, (doc) => ({
      tables: listTables(doc).map((table) => tableToWire(table, request.withColumns)),
    }))
  },

  async addTables(request: AddTablesRequest, call: ServerCall): Promise<AddTablesResponse> {
    const { docId, tables: wished } = request
    requireDocument(ctx, call, docId, 'editors')
    if (wished.length === 0)
      throw new AppError('invalid', 'NO_TABLES', 'tables must have at least one item')
    const made = wished.map(tableFromWire)
    return runWrite(ctx, call, request, {
      response: AddTablesResponse,
      run: (doc) => ({ tableIds: addTables(doc, made) }),
    })
  },
})

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

/** Columns made with their table hold data unless they are given a formula; only what shapes the values is taken. */
function newColumn(column: Parameters<typeof columnFromWire>[0]): NewColumn {
  const { id, fields } = columnFromWire(column, ({ formula }) => (formula ?? '') !== '')
  const { type, isFormula, formula, label, widgetOptions } = fields
  return { id, fields: { type, isFormula, formula, label, widgetOptions } }
}
