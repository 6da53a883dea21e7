import { z } from 'zod'
import { readDocument, writeDocument } from '../documents/conditional-requests'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { requireSameFields, toWireNewColumn } from '../schemas/columns'
import { nothing } from '../schemas/errors'
import { docParams } from '../schemas/parameters'
import {
  newTables,
  tableIds,
  tables,
  tableUpdates,
  toTable,
  toWireTableUpdate,
} from '../schemas/tables'

const tag = 'tables'

/** Tables of a document: list, add, modify. */
export const tableRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/tables',
    id: 'listTables',
    tag,
    summary: 'List tables in a document',
    access: 'viewers',
    conditions: 'read',
    params: docParams,
    query: z.object({
      expand: z.string().optional().meta({ description: '`column` includes the columns' }),
    }),
    success: { description: 'The tables', schema: tables },
    async handle(exchange, { document, query: { expand } }) {
      const withColumns = expand === 'column' || expand === 'columns'
      const request = { docId: document.docId, withColumns }
      const found = await readDocument(exchange, document, (home, call, options) =>
        home.tables.listTables({ ...request, options }, call),
      )
      if (!found) return
      sendJson(exchange, { tables: found.tables.map((table) => toTable(table, withColumns)) })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/tables',
    id: 'addTables',
    tag,
    summary: 'Add tables to a document',
    access: 'editors',
    conditions: 'write',
    params: docParams,
    body: newTables,
    success: {
      description: 'Ids of the new tables, in the order of the request',
      schema: tableIds,
    },
    async handle(exchange, input) {
      const { document, body } = input
      const request = {
        docId: document.docId,
        tables: body.tables.map(({ id, columns }) => ({
          id: id ?? '',
          columns: columns.map(toWireNewColumn),
        })),
      }
      const added = await writeDocument(exchange, input, (home, call, options) =>
        home.tables.addTables({ ...request, options }, call),
      )
      sendJson(exchange, { tables: added.tableIds.map((id) => ({ id })) })
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/docs/{docId}/tables',
    id: 'modifyTables',
    tag,
    summary: 'Modify tables of a document',
    description:
      'All tables of one request have to set the same fields. A table is deleted as a row of the table `_grist_Tables`, by its tableRef.',
    access: 'editors',
    conditions: 'write',
    params: docParams,
    body: tableUpdates,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, input) {
      const { document, body } = input
      requireSameFields(body.tables)
      const request = { docId: document.docId, tables: body.tables.map(toWireTableUpdate) }
      await writeDocument(exchange, input, (home, call, options) =>
        home.tables.updateTables({ ...request, options }, call),
      )
      sendNull(exchange)
    },
  }),
]
