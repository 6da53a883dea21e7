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
import { typeRoutes } from './document-types'
import { formRoutes } from './forms'
import { viewRoutes } from './views'

const tag = 'tables'

/** Tables of a document: list, add, update, their types for programs, and their views. */
export const tableRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/tables',
    id: 'listTables',
    tag,
    summary: 'List tables',
    description: 'Returns the tables of a document, with their columns on request.',
    access: 'viewers',
    conditions: 'read',
    params: docParams,
    query: z.object({
      expand: z
        .string()
        .optional()
        .meta({ description: '`column` or `columns` includes the columns of each table' }),
    }),
    success: { description: 'Tables of the document', schema: tables },
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
    summary: 'Add tables',
    description: 'Adds up to 200 tables with their columns, all or none.',
    access: 'editors',
    conditions: 'write',
    params: docParams,
    body: newTables,
    success: {
      description: 'Ids of the new tables, in request order',
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
    summary: 'Update tables',
    description:
      'Renames tables, up to 200 in one request, all or none. All tables of one request must set the same fields. To delete a table, delete its row in `_grist_Tables`, whose row id is the `tableRef`.',
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
  ...typeRoutes,
  ...viewRoutes,
  ...formRoutes,
]
