import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import type {
  AddTablesRequest,
  AddTablesResponse,
  ListTablesRequest,
  ListTablesResponse,
  NewTable as WireNewTable,
  Table as WireTable,
  TablesService,
  TableUpdate,
  UpdateTablesRequest,
  UpdateTablesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { Context } from '../context'
import type { NewColumn } from '../store/columns'
import type { Table } from '../store/schema'
import { updateTables } from '../store/table-updates'
import { addTables, listTables, type NewTable } from '../store/tables'
import { columnFromWire, columnToWire, requireSame } from './column-wire'
import { authorOf, requireDocument } from './document-call'

/** The tables of documents. */
export const tables = (ctx: Context): TablesService => ({
  async listTables(
    { docId, withColumns }: ListTablesRequest,
    call: ServerCall,
  ): Promise<ListTablesResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    return ctx.documents.read(docId, (doc) => ({
      tables: listTables(doc).map((table) => tableToWire(table, withColumns)),
      seq: doc.seq,
    }))
  },

  async addTables(
    { docId, tables: wished }: AddTablesRequest,
    call: ServerCall,
  ): Promise<AddTablesResponse> {
    requireDocument(ctx, call, docId, 'editors')
    requireSome(wished)
    const made = wished.map(tableFromWire)
    const { result, seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => addTables(doc, made),
      call.signal,
    )
    return { tableIds: result, seq }
  },

  async updateTables(
    { docId, tables: wished }: UpdateTablesRequest,
    call: ServerCall,
  ): Promise<UpdateTablesResponse> {
    requireDocument(ctx, call, docId, 'editors')
    requireSome(wished)
    const { seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => {
        for (const update of wished) requireSameRefs(doc.schema.getWritable(update.id), update)
        updateTables(
          doc,
          wished.map(({ id, tableId, onDemand }) => ({ id, change: { tableId, onDemand } })),
        )
      },
      call.signal,
    )
    return { seq }
  },
})

function requireSome(tables: readonly unknown[]): void {
  if (tables.length === 0)
    throw new AppError('invalid', 'NO_TABLES', 'tables must have at least one item')
}

/** Refs cannot be changed; that of the table may be there to name it. */
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

/** Columns made with their table hold data unless they are given a formula; only what shapes the values is taken. */
function newColumn(column: Parameters<typeof columnFromWire>[0]): NewColumn {
  const { id, fields } = columnFromWire(column, ({ formula }) => (formula ?? '') !== '')
  const { type, isFormula, formula, label, widgetOptions } = fields
  return { id, fields: { type, isFormula, formula, label, widgetOptions } }
}
