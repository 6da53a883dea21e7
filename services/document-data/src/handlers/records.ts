import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  AddOrUpdateRecordsResponse,
  AddRecordsResponse,
  DeleteRecordsResponse,
  OnMany,
  RecordsForm,
  UpdateRecordsResponse,
  type AddOrUpdateRecordsRequest,
  type AddRecordsRequest,
  type DeleteRecordsRequest,
  type ReadRecordsRequest,
  type ReadRecordsResponse,
  type RecordsService,
  type UpdateRecordsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { readAddOrUpdateBody } from '../bodies/add-or-update-body'
import { readRowIds } from '../bodies/row-ids'
import type { Context } from '../context'
import { addOrUpdateRecords } from '../store/records/add-or-update'
import { requireExpected } from '../store/records/expected-cells'
import { addRecords, deleteRecords, updateRecords } from '../store/records/records'
import { readerOf, requireDocument } from './document-call'
import { isKnown, isStrict, runWrite } from './document-options'
import { readChangedRows, readNewRows } from './records-bodies'
import { RecordsPage } from './records-page'
import { recordsQuery } from './records-query'
import { notModified, replyMessages } from './records-reply'

const onManyNames: Readonly<Partial<Record<OnMany, 'first' | 'none' | 'all'>>> = {
  [OnMany.UNSPECIFIED]: 'first',
  [OnMany.NONE]: 'none',
  [OnMany.ALL]: 'all',
}

const toRowIds = (rowIds: readonly number[]) => ({ rowIds: [...rowIds] })

/** Handlers of RecordsService, except for `listGroups`. */
export const records = (ctx: Context): Omit<RecordsService, 'listGroups'> => ({
  async *readRecords(
    request: ReadRecordsRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadRecordsResponse> {
    const { docId, options } = request
    requireDocument(ctx, call, docId, 'viewers')
    const current = ctx.documents.stateOf(docId)
    if (options && isKnown(options, current)) {
      yield notModified(current)
      return
    }
    const page = RecordsPage.of(ctx.cursors, request, current.epoch)
    const query = recordsQuery(request, page)
    const reply = await ctx.documents.readRecords(docId, query, readerOf(call))
    yield* replyMessages(reply, request, { page, current })
  },

  async addRecords(request: AddRecordsRequest, call: ServerCall): Promise<AddRecordsResponse> {
    const { docId, tableId, bodyJson, noParse, form } = request
    requireDocument(ctx, call, docId, 'editors')
    const { rows: count, columns: cells } = readNewRows(bodyJson, form)
    const options = { noParse, strict: isStrict(request) }
    return runWrite(ctx, call, request, {
      response: AddRecordsResponse,
      run: (doc) => ({ rowIds: [...addRecords(doc, tableId, { count, cells }, options)] }),
    })
  },

  async updateRecords(
    request: UpdateRecordsRequest,
    call: ServerCall,
  ): Promise<UpdateRecordsResponse> {
    const { docId, tableId, bodyJson, noParse } = request
    requireDocument(ctx, call, docId, 'editors')
    const { form } = request
    const inColumns = form === RecordsForm.COLUMNS
    const { ids: rowIds, columns: cells, expected } = readChangedRows(bodyJson, form)
    const options = { noParse, strict: isStrict(request) }
    return runWrite(ctx, call, request, {
      response: UpdateRecordsResponse,
      run: (doc) => {
        if (expected) requireExpected(doc, tableId, expected)
        updateRecords(doc, tableId, { rowIds, cells }, options)
        return { rowIds: inColumns ? rowIds : [] }
      },
    })
  },

  async addOrUpdateRecords(
    request: AddOrUpdateRecordsRequest,
    call: ServerCall,
  ): Promise<AddOrUpdateRecordsResponse> {
    const { docId, tableId, noParse, noAdd, noUpdate, allowEmptyRequire } = request
    requireDocument(ctx, call, docId, 'editors')
    const onMany = onManyNames[request.onMany]
    if (!onMany) throw new AppError('invalid', 'BAD_FIELD', 'on_many is unknown')
    const body = readAddOrUpdateBody(request.bodyJson)
    const strict = isStrict(request)
    const options = { noParse, strict, noAdd, noUpdate, allowEmptyRequire, onMany }
    return runWrite(ctx, call, request, {
      response: AddOrUpdateRecordsResponse,
      run: (doc) => {
        const { records, added, updated } = addOrUpdateRecords(doc, tableId, body, options)
        return { records: records.map(toRowIds), added, updated: updated.map(toRowIds) }
      },
    })
  },

  async deleteRecords(
    request: DeleteRecordsRequest,
    call: ServerCall,
  ): Promise<DeleteRecordsResponse> {
    const { docId, tableId, bodyJson } = request
    requireDocument(ctx, call, docId, 'editors')
    const rowIds = readRowIds(bodyJson)
    return runWrite(ctx, call, request, {
      response: DeleteRecordsResponse,
      run: (doc) => {
        deleteRecords(doc, tableId, rowIds)
        return {}
      },
    })
  },
})
