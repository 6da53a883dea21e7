import type { ServerCall } from '@sheaf/kit/grpc-server'
import type {
  AddRecordsRequest,
  AddRecordsResponse,
  DeleteRecordsRequest,
  DeleteRecordsResponse,
  ReadRecordsRequest,
  ReadRecordsResponse,
  RecordsService,
  UpdateRecordsRequest,
  UpdateRecordsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { readAddBody } from '../bodies/add-body'
import { readRowIds } from '../bodies/row-ids'
import { readUpdateBody } from '../bodies/update-body'
import type { Context } from '../context'
import { addRecords, deleteRecords, updateRecords } from '../store/records'
import { authorOf, requireDocument } from './document-call'
import { recordsQuery } from './records-query'

/** A long row makes a long chunk; messages stay well below gRPC's usual limit of 4 MiB. */
const MAX_CHUNK_BYTES = 1024 * 1024

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
    { docId, tableId, bodyJson, noParse }: AddRecordsRequest,
    call: ServerCall,
  ): Promise<AddRecordsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    const { rows: count, columns: cells } = readAddBody(bodyJson)
    const { result, seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => addRecords(doc, tableId, { count, cells }, { noParse }),
      call.signal,
    )
    return { rowIds: result, seq }
  },

  async updateRecords(
    { docId, tableId, bodyJson, noParse }: UpdateRecordsRequest,
    call: ServerCall,
  ): Promise<UpdateRecordsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    const { ids: rowIds, columns: cells } = readUpdateBody(bodyJson)
    const { seq } = await ctx.documents.transact(
      docId,
      authorOf(call),
      (doc) => updateRecords(doc, tableId, { rowIds, cells }, { noParse }),
      call.signal,
    )
    return { seq }
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
