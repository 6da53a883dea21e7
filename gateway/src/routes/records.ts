import {
  CellFormat,
  OnMany,
  RecordsForm,
  type ReadRecordsRequest,
  type RecordsView,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { getReadOptions, writeDocument } from '../documents/conditional-requests'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { sendChunks, type OpenChunks } from '../documents/record-stream'
import { deleteRows, writeRows } from '../documents/record-writes'
import { sendBytes, sendJson, sendNull } from '../http/reply'
import { otherMediaTypes, negotiateRowFormat, type RowFormat } from '../http/content-negotiation'
import { defineRoute, type Route } from '../routing/route'
import { readSearch, readSearchQuery } from '../documents/records-search'
import { readSelection } from '../documents/records-selection'
import { nothing } from '../schemas/errors'
import { splitList, tableParams } from '../schemas/parameters'
import {
  addedOrUpdated,
  addOrUpdateQuery,
  addQuery,
  newRecords,
  recordChanges,
  recordIds,
  records,
  recordsHeaders,
  recordsQuery,
  recordsSelection,
  requiredRecords,
  rowIds,
  writeQuery,
} from '../schemas/records'
import { groupRoutes } from './groups'

const tag = 'records'
const path = '/api/docs/{docId}/tables/{tableId}/records'

const onMany = { first: OnMany.UNSPECIFIED, none: OnMany.NONE, all: OnMany.ALL }

/** Records of a table: list, add, update, add or update, delete, count in groups. */
export const recordRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'fetchRecords',
    isHot: true,
    tag,
    summary: 'List records',
    description:
      'Returns the records of a table, filtered, searched, sorted and paged by the query. `Accept` selects JSON, NDJSON, CSV or an Arrow stream. The response streams and has no size limit.',
    access: 'viewers',
    conditions: 'read',
    params: tableParams,
    query: recordsQuery,
    headers: recordsHeaders,
    streams: true,
    hasPages: true,
    success: { description: 'The records', schema: records, otherMediaTypes },
    handle(exchange, { document, params: { tableId }, query }) {
      const { hidden } = query
      const form = negotiateRowFormat(exchange.request)
      const request: ReadRecordsRequest = {
        docId: document.docId,
        tableId,
        ...readSelection(exchange, query),
        search: readSearchQuery(exchange, query),
        hidden,
        view: toView({ ...query, fields: splitList(query.fields) }),
        options: getReadOptions(exchange, form),
        form: RecordsForm.UNSPECIFIED,
        format: form.format,
      }
      return sendRecords(exchange, document, request, form)
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'addRecords',
    isHot: true,
    tag,
    summary: 'Add records',
    description:
      'Adds the records of the request in order, all or none. Columns that a record omits take their default value.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    query: addQuery,
    body: newRecords,
    passesBytes: true,
    success: { description: 'Row ids of the new records, in request order', schema: recordIds },
    async handle(exchange, input) {
      const form = input.query.flat ? RecordsForm.FLAT : RecordsForm.UNSPECIFIED
      sendBytes(exchange, renderIds(await writeRows(exchange, input, { rpc: 'addRecords', form })))
    },
  }),
  defineRoute({
    method: 'patch',
    path,
    id: 'modifyRecords',
    isHot: true,
    tag,
    summary: 'Update records',
    description:
      'Updates records by row id, all or none. All records of one request must set the same columns. `expect` makes an update conditional on current values.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    query: writeQuery,
    body: recordChanges,
    passesBytes: true,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, input) {
      await writeRows(exchange, input, { rpc: 'updateRecords', form: RecordsForm.UNSPECIFIED })
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'put',
    path,
    id: 'addOrUpdateRecords',
    isHot: true,
    tag,
    summary: 'Add or update records',
    description:
      'For each item, updates the record that has the values in `require` with `fields`; if no record matches, adds one with the values of both, where `fields` takes precedence. ' +
      'Items that name the same columns are matched together, before any of them is written.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    query: addOrUpdateQuery,
    body: requiredRecords,
    passesBytes: true,
    success: {
      description: 'Row ids of the added and updated records',
      schema: addedOrUpdated,
    },
    async handle(exchange, input) {
      const { document, params, query, bytes } = input
      const request = {
        docId: document.docId,
        tableId: params.tableId,
        bodyJson: bytes,
        noParse: query.noparse,
        onMany: onMany[query.onmany],
        noAdd: query.noadd,
        noUpdate: query.noupdate,
        allowEmptyRequire: query.allow_empty_require,
      }
      const { records, added, updated } = await writeDocument(
        exchange,
        input,
        (home, call, options) => home.records.addOrUpdateRecords({ ...request, options }, call),
      )
      sendJson(exchange, {
        recordIds: records.map(({ rowIds }) => rowIds),
        addRecordIds: added,
        updateRecordIds: updated.map(({ rowIds }) => rowIds),
      })
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/list`,
    id: 'listRecords',
    tag,
    summary: 'List records by a selection in the body',
    description:
      'Equivalent to GET, for a selection that is too long for a URL. `Accept` selects JSON, NDJSON, CSV or an Arrow stream.',
    access: 'viewers',
    conditions: 'read',
    params: tableParams,
    body: recordsSelection,
    streams: true,
    hasPages: true,
    success: { description: 'The records', schema: records, otherMediaTypes },
    handle(exchange, { document, params: { tableId }, body }) {
      const form = negotiateRowFormat(exchange.request)
      const request: ReadRecordsRequest = {
        docId: document.docId,
        tableId,
        filterJson: Buffer.from(body.filter ? JSON.stringify(body.filter) : ''),
        search: readSearch(exchange, body),
        sort: body.sort ?? [],
        limit: body.limit ?? 0,
        hidden: body.hidden ?? false,
        cellFormat: body.cellFormat === 'typed' ? CellFormat.TYPED : CellFormat.UNSPECIFIED,
        form: RecordsForm.UNSPECIFIED,
        view: toView(body),
        options: getReadOptions(exchange, form),
        format: form.format,
      }
      return sendRecords(exchange, document, request, form)
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/delete`,
    id: 'deleteRecords',
    tag,
    summary: 'Delete records',
    description: 'Deletes records by row id, all or none.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    body: rowIds,
    passesBytes: true,
    success: { description: 'Done', schema: nothing },
    handle: deleteRows,
  }),
  ...groupRoutes,
]

function sendRecords(
  exchange: Exchange,
  document: DocumentSession,
  request: ReadRecordsRequest,
  form: RowFormat,
): Promise<void> {
  const open: OpenChunks = (home, call) => home.records.readRecords(request, call)
  return sendChunks(exchange, document, open, { form })
}

/** The columns and the page to return; undefined for all. */
function toView(asked: {
  readonly fields?: string[]
  readonly cursor?: string
  readonly count?: boolean
  readonly offset?: number
}): RecordsView | undefined {
  const { fields, cursor, count = false, offset = 0 } = asked
  if (fields === undefined && cursor === undefined && !count && offset === 0) return undefined
  return { fields: fields ?? [], onlyFields: fields !== undefined, cursor, count, offset }
}

/** Concatenates numbers instead of serializing objects: a bulk write has thousands of ids. */
function renderIds(ids: readonly number[]): Buffer {
  if (ids.length === 0) return Buffer.from('{"records":[]}')
  return Buffer.from(`{"records":[{"id":${ids.join('},{"id":')}}]}`)
}
