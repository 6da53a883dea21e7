import { z } from 'zod'
import { sendJson } from '../reply'
import { defineRoute, type Route } from '../route'
import { columnIds, columns, newColumns, toColumn, toWireNewColumn } from '../schemas/columns'
import { flag, tableParams } from '../schemas/parameters'

const tag = 'columns'
const path = '/api/docs/{docId}/tables/{tableId}/columns'

/** Columns of a table: list, add. */
export const columnRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'listColumns',
    tag,
    summary: 'List columns in a table',
    access: 'viewers',
    params: tableParams,
    query: z.object({ hidden: flag('Include hidden columns') }),
    success: { description: 'The columns', schema: columns },
    async handle(exchange, { document, params: { tableId }, query: { hidden } }) {
      const request = { docId: document.docId, tableId, hidden }
      const found = await document.call((home, call) => home.columns.listColumns(request, call))
      sendJson(exchange, { columns: found.columns.map(toColumn) })
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'addColumns',
    tag,
    summary: 'Add columns to a table',
    access: 'editors',
    params: tableParams,
    body: newColumns,
    success: {
      description: 'Ids of the new columns, in the order of the request',
      schema: columnIds,
    },
    async handle(exchange, { document, params: { tableId }, body }) {
      const request = {
        docId: document.docId,
        tableId,
        columns: body.columns.map(toWireNewColumn),
      }
      const added = await document.call((home, call) => home.columns.addColumns(request, call))
      sendJson(exchange, { columns: added.columnIds.map((id) => ({ id })) })
    },
  }),
]
