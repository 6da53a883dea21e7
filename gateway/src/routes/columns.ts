import { SEARCHED_VALUES } from '@sheaf/auth/require-protocol'
import { z } from 'zod'
import { readDocument, writeDocument } from '../documents/conditional-requests'
import { readSearchQuery } from '../documents/records-search'
import { sendBytes, sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  columnIds,
  columns,
  columnUpdates,
  newColumns,
  requireSameFields,
  toColumn,
  toWireNewColumn,
  toWireUpdate,
} from '../schemas/columns'
import { nothing } from '../schemas/errors'
import { columnValues, columnValuesQuery } from '../schemas/column-values'
import { columnParams, flag, tableParams } from '../schemas/parameters'

const tag = 'columns'
const path = '/api/docs/{docId}/tables/{tableId}/columns'

/** Columns of a table: list, add, update, add or update, delete, count values. */
export const columnRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'listColumns',
    tag,
    summary: 'List columns',
    description: 'Returns the columns of a table in their order, with their metadata.',
    access: 'viewers',
    conditions: 'read',
    params: tableParams,
    query: z.object({ hidden: flag('Include hidden columns') }),
    success: { description: 'Columns of the table', schema: columns },
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
    summary: 'Add columns',
    description: 'Adds up to 2,000 columns, all or none.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    body: newColumns,
    success: {
      description: 'Ids of the new columns, in request order',
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
  defineRoute({
    method: 'patch',
    path,
    id: 'modifyColumns',
    tag,
    summary: 'Update columns',
    description:
      'Updates up to 2,000 columns by id, all or none. All columns of one request must set the same fields. Changing the type converts the values of the column.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    body: columnUpdates,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, input) {
      const { document, params, body } = input
      requireSameFields(body.columns)
      const request = {
        docId: document.docId,
        tableId: params.tableId,
        columns: body.columns.map(toWireUpdate),
      }
      await writeDocument(exchange, input, (home, call, options) =>
        home.columns.updateColumns({ ...request, options }, call),
      )
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'put',
    path,
    id: 'replaceColumns',
    tag,
    summary: 'Add or update columns',
    description:
      'Updates each column whose id exists and adds the others, up to 2,000 in one request, all or none.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    query: z.object({
      noadd: flag('Do not add columns'),
      noupdate: flag('Do not update columns'),
      replaceall: flag('Delete visible columns that are not in the body'),
    }),
    body: columnUpdates,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, input) {
      const { document, params, query, body } = input
      const request = {
        docId: document.docId,
        tableId: params.tableId,
        columns: body.columns.map(toWireUpdate),
        noAdd: query.noadd,
        noUpdate: query.noupdate,
        replaceAll: query.replaceall,
      }
      await writeDocument(exchange, input, (home, call, options) =>
        home.columns.addOrUpdateColumns({ ...request, options }, call),
      )
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${path}/{columnId}`,
    id: 'deleteColumn',
    tag,
    summary: 'Delete a column',
    description: 'Deletes a column and its values.',
    access: 'editors',
    conditions: 'write',
    params: columnParams,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, input) {
      const request = { ...input.params, docId: input.document.docId }
      await writeDocument(exchange, input, (home, call, options) =>
        home.columns.deleteColumn({ ...request, options }, call),
      )
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/{columnId}/values`,
    id: 'listColumnValues',
    tag,
    summary: 'Count the values of a column',
    description:
      'Returns the distinct values of a column with the number of records that have them, the most frequent ones first, and values of the same count in their order. For a column of lists these are the elements of the lists, with null for empty lists. Text of more than 1,000 bytes is included in `total` only.',
    access: 'viewers',
    conditions: 'read',
    params: columnParams,
    query: columnValuesQuery,
    success: { description: 'Values of the column', schema: columnValues },
    async handle(exchange, { document, params, query }) {
      const { filter, limit } = query
      const request = {
        ...params,
        docId: document.docId,
        filterJson: Buffer.from(filter ?? ''),
        search: readSearchQuery(exchange, query, SEARCHED_VALUES),
        limit,
      }
      const found = await readDocument(exchange, document, (home, call, options) =>
        home.columns.listColumnValues({ ...request, options }, call),
      )
      if (found) sendBytes(exchange, found.bodyJson)
    },
  }),
]
