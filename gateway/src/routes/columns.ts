import { z } from 'zod'
import { readDocument, writeDocument } from '../document-options'
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
    conditions: 'read',
    params: tableParams,
    query: z.object({ hidden: flag('Include hidden columns') }),
    success: { description: 'The columns', schema: columns },
    async handle(exchange, { document, params: { tableId }, query: { hidden } }) {
      const request = { docId: document.docId, tableId, hidden }
      const found = await readDocument(exchange, document, (home, call, options) =>
        home.columns.listColumns({ ...request, options }, call),
      )
      if (!found) return
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
    conditions: 'write',
    params: tableParams,
    body: newColumns,
    success: {
      description: 'Ids of the new columns, in the order of the request',
      schema: columnIds,
    },
    async handle(exchange, input) {
      const { document, params, body } = input
      const request = {
        docId: document.docId,
        tableId: params.tableId,
        columns: body.columns.map(toWireNewColumn),
      }
      const added = await writeDocument(exchange, input, (home, call, options) =>
        home.columns.addColumns({ ...request, options }, call),
      )
      sendJson(exchange, { columns: added.columnIds.map((id) => ({ id })) })
    },
  }),
]
