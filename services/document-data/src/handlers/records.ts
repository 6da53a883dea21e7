import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import {
  OnMany,
  RecordsForm,
  type AddOrUpdateRecordsRequest,
  type AddOrUpdateRecordsResponse,
  type AddRecordsRequest,
  type AddRecordsResponse,
  type DeleteRecordsRequest,
  type DeleteRecordsResponse,
  type ReadRecordsRequest,
  type ReadRecordsResponse,
  type RecordsService,
  type UpdateRecordsRequest,
  type UpdateRecordsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { readAddBody, type AddBody } from '../bodies/add-body'
import { readAddOrUpdateBody } from '../bodies/add-or-update-body'
import { readAddColumns, readUpdateColumns } from '../bodies/columns-body'
import { readRowIds } from '../bodies/row-ids'
import { readUpdateBody } from '../bodies/update-body'
import type { Context } from '../context'
import { addOrUpdateRecords } from '../store/add-or-update'
import { addRecords, deleteRecords, updateRecords } from '../store/records'
import { authorOf, requireDocument } from './document-call'
import { recordsQuery } from './records-query'

/** A long row makes a long chunk; messages stay well below gRPC's usual limit of 4 MiB. */
const MAX_CHUNK_BYTES = 1024 * 1024

const onManyNames: Readonly<Partial<Record<OnMany, 'first' | 'none' | 'all'>>> = {
  [OnMany.UNSPECIFIED]: 'first',
  [OnMany.NONE]: 'none',
  [OnMany.ALL]: 'all',
}

const toRowIds = (rowIds: readonly number[]) => ({ rowIds: [...rowIds] })

const badForm = () => new AppError('invalid', 'BAD_FIELD', 'form is not known here')

function readNewRows(bodyJson: Uint8Array, form: RecordsForm): AddBody {
  switch (form) {
    case RecordsForm.UNSPECIFIED:
      return readAddBody(bodyJson)
    case RecordsForm.FLAT:
      return readAddBody(bodyJson, { flat: true })
    case RecordsForm.COLUMNS:
      return readAddColumns(bodyJson)
    default:
      throw badForm()
  }
}

/** The rows of tables. */
export const records = (ctx: Context): RecordsService => ({
  async *readRecords(
    request: ReadRecordsRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadRecordsResponse> {
    requireDocument(ctx, call, request.docId, 'viewers')
    const reply = await ctx.documents.readRecords(request.docId, recordsQuery(request), call.signal)
    let { seq } = reply
    for await (const chunk of reply.chunks)
      for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES) {
        yield { chunk: chunk.subarray(start, start + MAX_CHUNK_BYTES), seq }
        // Only the first message says which moment it shows.
        seq = 0
      }
  },

  async addRecords(
    { docId, tableId, bodyJson, noParse, form }: AddRecordsRequest,
    call: ServerCall,
  ): Promise<AddRecordsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    const { rows: count, columns: cells } = readNewRows(bodyJson, form)
    const { result, seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => addRecords(doc, tableId, { count, cells }, { noParse }),
      call.signal,
    )
    return { rowIds: [...result], seq }
  },

  async updateRecords(
    { docId, tableId, bodyJson, noParse, form }: UpdateRecordsRequest,
    call: ServerCall,
  ): Promise<UpdateRecordsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    if (form === RecordsForm.FLAT) throw badForm()
    const inColumns = form === RecordsForm.COLUMNS
    const read = inColumns ? readUpdateColumns : readUpdateBody
    const { ids: rowIds, columns: cells } = read(bodyJson)
    const { seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => updateRecords(doc, tableId, { rowIds, cells }, { noParse }),
      call.signal,
    )
    return { seq, rowIds: inColumns ? rowIds : [] }
  },

  async addOrUpdateRecords(
    request: AddOrUpdateRecordsRequest,
    call: ServerCall,
  ): Promise<AddOrUpdateRecordsResponse> {
    const { docId, tableId, noParse, noAdd, noUpdate, allowEmptyRequire } = request
    requireDocument(ctx, call, docId, 'editors')
    const onMany = onManyNames[request.onMany]
    if (!onMany) throw new AppError('invalid', 'BAD_FIELD', 'on_many is not known')
    const body = readAddOrUpdateBody(request.bodyJson)
    const options = { noParse, noAdd, noUpdate, allowEmptyRequire, onMany }
    const { result, seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => addOrUpdateRecords(doc, tableId, body, options),
      call.signal,
    )
    const { records, added, updated } = result
    return { records: records.map(toRowIds), added, updated: updated.map(toRowIds), seq }
  },

  async deleteRecords(
    { docId, tableId, bodyJson }: DeleteRecordsRequest,
    call: ServerCall,
  ): Promise<DeleteRecordsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    const rowIds = readRowIds(bodyJson)
    const { seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => deleteRecords(doc, tableId, rowIds),
      call.signal,
    )
    return { seq }
  },
})
