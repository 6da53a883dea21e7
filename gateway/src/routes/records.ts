import type { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { invalidParameter } from '../invalid-payload'
import { sendChunks } from '../record-stream'
import { sendBytes, sendNull } from '../reply'
import { defineRoute, type Input, type Route } from '../route'
import { nothing } from '../schemas/errors'
import { tableParams } from '../schemas/parameters'
import {
  newRecords,
  recordChanges,
  recordIds,
  records,
  recordsHeaders,
  recordsQuery,
  recordsSelection,
  rowIds,
  writeQuery,
} from '../schemas/records'
import type { Exchange } from '../exchange'

const tag = 'records'
const path = '/api/docs/{docId}/tables/{tableId}/records'

const deleteRows = async (
  exchange: Exchange,
  { document, params: { tableId }, bytes }: Input<{ tableId: string }>,
) => {
  const request = { docId: document.docId, tableId, bodyJson: bytes }
  await document.call((home, call) => home.records.deleteRecords(request, call))
  sendNull(exchange)
}

/** Records of a table: fetch, add, modify, delete. */
export const recordRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'fetchRecords',
    isHot: true,
    tag,
    summary: 'Fetch records from a table',
    access: 'viewers',
    params: tableParams,
    query: recordsQuery,
    headers: recordsHeaders,
    streams: true,
    success: { description: 'The records', schema: records },
    handle(exchange, { document, params: { tableId }, query }) {
      const { headers } = exchange.request
      const given = { 'X-Sort': headers['x-sort'], 'X-Limit': headers['x-limit'] }
      const fromHeaders = recordsHeaders.safeParse(given)
      if (!fromHeaders.success) throw invalidParameter(fromHeaders.error, given)
      const { filter, hidden } = query
      const request: ReadRecordsRequest = {
        docId: document.docId,
        tableId,
        filterJson: Buffer.from(filter ?? ''),
        sort: splitKeys(query.sort ?? fromHeaders.data['X-Sort']),
        limit: query.limit ?? fromHeaders.data['X-Limit'] ?? 0,
        hidden,
      }
      return sendChunks(exchange, document, (home, call) => home.records.readRecords(request, call))
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'addRecords',
    isHot: true,
    tag,
    summary: 'Add records to a table',
    access: 'editors',
    params: tableParams,
    query: writeQuery,
    body: newRecords,
    passesBytes: true,
    success: { description: 'Ids of the new rows, in the order of the request', schema: recordIds },
    async handle(exchange, { document, params: { tableId }, query, bytes }) {
      const { docId } = document
      const request = { docId, tableId, bodyJson: bytes, noParse: query.noparse }
      const added = await document.call((home, call) => home.records.addRecords(request, call))
      sendBytes(exchange, renderIds(added.rowIds))
    },
  }),
  defineRoute({
    method: 'patch',
    path,
    id: 'modifyRecords',
    isHot: true,
    tag,
    summary: 'Modify records of a table',
    access: 'editors',
    params: tableParams,
    query: writeQuery,
    body: recordChanges,
    passesBytes: true,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { document, params: { tableId }, query, bytes }) {
      const { docId } = document
      const request = { docId, tableId, bodyJson: bytes, noParse: query.noparse }
      await document.call((home, call) => home.records.updateRecords(request, call))
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/list`,
    id: 'listRecords',
    tag,
    summary: 'Fetch records, with the selection in the body',
    description: 'For selections that are too long for a URL.',
    access: 'viewers',
    params: tableParams,
    body: recordsSelection,
    streams: true,
    success: { description: 'The records', schema: records },
    handle(exchange, { document, params: { tableId }, body }) {
      const request: ReadRecordsRequest = {
        docId: document.docId,
        tableId,
        filterJson: Buffer.from(body.filter ? JSON.stringify(body.filter) : ''),
        sort: body.sort ?? [],
        limit: body.limit ?? 0,
        hidden: body.hidden ?? false,
      }
      return sendChunks(exchange, document, (home, call) => home.records.readRecords(request, call))
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/delete`,
    id: 'deleteRecords',
    tag,
    summary: 'Delete records of a table',
    access: 'editors',
    params: tableParams,
    body: rowIds,
    passesBytes: true,
    success: { description: 'Done', schema: nothing },
    handle: deleteRows,
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/tables/{tableId}/data/delete',
    id: 'deleteRows',
    tag,
    summary: 'Delete rows of a table',
    access: 'editors',
    params: tableParams,
    body: rowIds,
    passesBytes: true,
    success: { description: 'Done', schema: nothing },
    handle: deleteRows,
  }),
]

function splitKeys(sort: string | undefined): string[] {
  return sort ? sort.split(',') : []
}

/** Written out by hand: a bulk write has thousands of these, and they are numbers. */
function renderIds(ids: readonly number[]): Buffer {
  if (ids.length === 0) return Buffer.from('{"records":[]}')
  return Buffer.from(`{"records":[{"id":${ids.join('},{"id":')}}]}`)
}
