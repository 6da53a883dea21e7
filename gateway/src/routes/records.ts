import type { ReadRecordsRequest, RecordsView } from '@sheaf/protos/sheaf/document_data/v1/records'
import { readOptionsOf, writeDocument } from '../document-options'
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

const deleteRows = async (exchange: Exchange, input: Input<{ tableId: string }>) => {
  const { document, params, bytes } = input
  const { tableId } = params
  await writeDocument(exchange, input, (home, call, options) =>
    home.records.deleteRecords({ docId: document.docId, tableId, bodyJson: bytes, options }, call),
  )
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
    conditions: 'read',
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
        view: toView({ ...query, fields: splitFields(query.fields) }),
        options: readOptionsOf(exchange),
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
    conditions: 'write',
    params: tableParams,
    query: writeQuery,
    body: newRecords,
    passesBytes: true,
    success: { description: 'Ids of the new rows, in the order of the request', schema: recordIds },
    async handle(exchange, input) {
      const { document, params, query, bytes } = input
      const { docId } = document
      const { tableId } = params
      const { noparse: noParse } = query
      const added = await writeDocument(exchange, input, (home, call, options) =>
        home.records.addRecords({ docId, tableId, bodyJson: bytes, noParse, options }, call),
      )
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
    conditions: 'write',
    params: tableParams,
    query: writeQuery,
    body: recordChanges,
    passesBytes: true,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, input) {
      const { document, params, query, bytes } = input
      const { docId } = document
      const { tableId } = params
      const { noparse: noParse } = query
      await writeDocument(exchange, input, (home, call, options) =>
        home.records.updateRecords({ docId, tableId, bodyJson: bytes, noParse, options }, call),
      )
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
    conditions: 'read',
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
        view: toView(body),
        options: readOptionsOf(exchange),
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
    conditions: 'write',
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
    conditions: 'write',
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

function splitFields(fields: string | undefined): string[] | undefined {
  return fields === undefined ? undefined : fields.split(',').filter((name) => name !== '')
}

/** Which parts and which page of the rows; undefined when nothing of it is asked. */
function toView(asked: {
  readonly fields?: string[]
  readonly cursor?: string
  readonly count?: boolean
}): RecordsView | undefined {
  const { fields, cursor, count = false } = asked
  if (fields === undefined && cursor === undefined && !count) return undefined
  return { fields: fields ?? [], onlyFields: fields !== undefined, cursor, count }
}

/** Written out by hand: a bulk write has thousands of these, and they are numbers. */
function renderIds(ids: readonly number[]): Buffer {
  if (ids.length === 0) return Buffer.from('{"records":[]}')
  return Buffer.from(`{"records":[{"id":${ids.join('},{"id":')}}]}`)
}
