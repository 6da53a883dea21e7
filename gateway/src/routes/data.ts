import { RecordsForm } from '@sheaf/protos/sheaf/document_data/v1/records'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { z } from 'zod'
import { getReadOptions } from '../documents/conditional-requests'
import { sendChunks } from '../documents/record-stream'
import { deleteRows, writeRows } from '../documents/record-writes'
import { readSearchQuery } from '../documents/records-search'
import { readSelection } from '../documents/records-selection'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { tableParams } from '../schemas/parameters'
import { dataColumns, dataQuery, recordsHeaders, rowIds, writeQuery } from '../schemas/records'

const tag = 'data'
const path = '/api/docs/{docId}/tables/{tableId}/data'
const description = 'Deprecated: use the records operations instead.'

/** Rows of a table in columnar form: fetch, add, modify, delete. */
export const dataRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'fetchTableData',
    tag,
    summary: 'List rows by column',
    description,
    deprecated: true,
    access: 'viewers',
    conditions: 'read',
    params: tableParams,
    query: dataQuery,
    headers: recordsHeaders,
    streams: true,
    success: { description: 'Values by column, including hidden columns', schema: dataColumns },
    handle(exchange, { document, params: { tableId }, query }) {
      const request = {
        docId: document.docId,
        tableId,
        ...readSelection(exchange, query),
        search: readSearchQuery(exchange, query),
        hidden: true,
        form: RecordsForm.COLUMNS,
        format: ResultFormat.JSON,
        options: getReadOptions(exchange),
      }
      return sendChunks(exchange, document, (home, call) => home.records.readRecords(request, call))
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'addRows',
    tag,
    summary: 'Add rows by column',
    description,
    deprecated: true,
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    query: writeQuery,
    body: dataColumns,
    passesBytes: true,
    success: { description: 'Row ids of the new rows', schema: rowIds },
    async handle(exchange, input) {
      sendJson(
        exchange,
        await writeRows(exchange, input, { rpc: 'addRecords', form: RecordsForm.COLUMNS }),
      )
    },
  }),
  defineRoute({
    method: 'patch',
    path,
    id: 'modifyRows',
    tag,
    summary: 'Update rows by column',
    description,
    deprecated: true,
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    query: writeQuery,
    body: z.intersection(
      z.object({ id: rowIds.describe('Ids of the rows to change') }),
      dataColumns,
    ),
    passesBytes: true,
    success: { description: 'Row ids, in request order', schema: rowIds },
    async handle(exchange, input) {
      sendJson(
        exchange,
        await writeRows(exchange, input, { rpc: 'updateRecords', form: RecordsForm.COLUMNS }),
      )
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/delete`,
    id: 'deleteRows',
    tag,
    summary: 'Delete rows',
    description,
    deprecated: true,
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    body: rowIds,
    passesBytes: true,
    success: { description: 'Done', schema: nothing },
    handle: deleteRows,
  }),
]
