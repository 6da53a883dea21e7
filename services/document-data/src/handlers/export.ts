import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { roleAtLeast } from '@sheaf/auth/roles'
import {
  GetTableSchemaResponse,
  HeaderStyle,
  type ExportDocumentRequest,
  type ExportDocumentResponse,
  type ExportService,
  type ExportTableRequest,
  type ExportTableResponse,
  type ExportWorkbookRequest,
  type ExportWorkbookResponse,
  type GetTableSchemaRequest,
} from '@sheaf/protos/sheaf/document_data/v1/export'
import type { ReadOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import { delimiters, planDelimited, type HeaderStyle as HeaderName } from '../export/delimited'
import { describeTable } from '../export/table-schema'
import { planWorkbook } from '../export/workbook'
import type { PlanExport } from '../store/documents/read-export'
import type { Schema, Table } from '../store/schema/schema'
import { tableNotFound } from '../store/schema/unknown-names'
import { readerOf, requireDocument } from './document-call'
import { isKnown, runRead, tagOf } from './document-options'

/** Maximum size of one message; larger chunks are split. */
const MAX_CHUNK_BYTES = 1024 * 1024
const NOTHING = Buffer.alloc(0)

const headerNames: Readonly<Partial<Record<HeaderStyle, HeaderName>>> = {
  [HeaderStyle.UNSPECIFIED]: 'label',
  [HeaderStyle.LABEL]: 'label',
  [HeaderStyle.COL_ID]: 'colId',
}

function readHeader(style: HeaderStyle): HeaderName {
  const name = headerNames[style]
  if (!name) throw new AppError('invalid', 'BAD_FIELD', 'header is unknown')
  return name
}

/** Throws `not_found` for any section, because Sheaf stores no views. */
function requireNoSection({ viewSection }: { readonly viewSection: number }): void {
  if (viewSection !== 0)
    throw new AppError(
      'not_found',
      'VIEW_SECTION_NOT_FOUND',
      `No record ${viewSection} in table _grist_Views_section`,
    )
}

/** Returns a user table by its id. Throws `not_found`. */
function tableOf(schema: Schema, tableId: string): Table {
  const table = schema.tables.find((known) => known.tableId === tableId)
  if (table) return table
  throw tableNotFound(tableId, schema.tables, (shown) => `Table ${shown} not found.`)
}

/** Returns all user tables. Throws `not_found` if there are none: a workbook needs at least one sheet. */
function tablesOf({ tables }: Schema): readonly Table[] {
  if (tables.length === 0)
    throw new AppError('not_found', 'TABLE_NOT_FOUND', 'the document has no tables')
  return tables
}

/** Handlers of ExportService: documents and tables in formats of other programs. */
export const exporting = (ctx: Context): ExportService => ({
  async *exportTable(
    request: ExportTableRequest,
    call: ServerCall,
  ): AsyncGenerator<ExportTableResponse> {
    const { docId, tableId, delimiter, rowIds, standard } = request
    requireDocument(ctx, call, docId, 'viewers')
    if (!delimiters.includes(delimiter))
      throw new AppError('invalid', 'BAD_FIELD', 'delimiter is unknown')
    const header = readHeader(request.header)
    requireNoSection(request)
    yield* exportAs(ctx, call, request, (schema) =>
      planDelimited(schema, tableOf(schema, tableId), { delimiter, header, rowIds, standard }),
    )
  },

  async *exportWorkbook(
    request: ExportWorkbookRequest,
    call: ServerCall,
  ): AsyncGenerator<ExportWorkbookResponse> {
    const { docId, tableId } = request
    requireDocument(ctx, call, docId, 'viewers')
    const header = readHeader(request.header)
    requireNoSection(request)
    yield* exportAs(ctx, call, request, (schema) =>
      planWorkbook(schema, tableId === '' ? tablesOf(schema) : [tableOf(schema, tableId)], header),
    )
  },

  async *exportDocument(
    { docId, noHistory, template, options }: ExportDocumentRequest,
    call: ServerCall,
  ): AsyncGenerator<ExportDocumentResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    const { epoch, seq: latest } = ctx.documents.stateOf(docId)
    if (options && isKnown(options, tagOf(epoch, latest))) {
      yield { chunk: NOTHING, etag: tagOf(epoch, latest), notModified: true }
      return
    }
    // Previous values of cells require more than view access.
    const mayReadHistory = roleAtLeast(call.caller.role, 'editors')
    const form = { history: mayReadHistory && !noHistory && !template, data: !template }
    yield* ctx.documents.snapshots.read(
      docId,
      form,
      async function* ({ seq, changedAt, size, bytes }): AsyncGenerator<ExportDocumentResponse> {
        yield { chunk: NOTHING, size, changedAt, etag: tagOf(epoch, seq) }
        for await (const chunk of bytes) yield { chunk }
      },
      { userId: call.caller.userId, signal: call.signal },
    )
  },

  getTableSchema(
    request: GetTableSchemaRequest,
    call: ServerCall,
  ): Promise<GetTableSchemaResponse> {
    const { docId, tableId, path, rowIds } = request
    requireDocument(ctx, call, docId, 'viewers')
    const header = readHeader(request.header)
    requireNoSection(request)
    const response = runRead(ctx, request, GetTableSchemaResponse, ({ schema }) => {
      const described = describeTable(schema, tableOf(schema, tableId), { header, rowIds, path })
      return { schemaJson: Buffer.from(JSON.stringify(described)) }
    })
    return Promise.resolve(response)
  },
})

interface Piece {
  readonly chunk: Buffer
  readonly etag?: string
  readonly notModified?: boolean
}

async function* exportAs(
  ctx: Context,
  call: ServerCall,
  { docId, options }: { readonly docId: string; readonly options?: ReadOptions },
  plan: PlanExport,
): AsyncGenerator<Piece> {
  const { epoch, seq: latest } = ctx.documents.stateOf(docId)
  if (options && isKnown(options, tagOf(epoch, latest))) {
    yield { chunk: NOTHING, etag: tagOf(epoch, latest), notModified: true }
    return
  }
  const { seq, chunks } = await ctx.documents.readExport(docId, plan, readerOf(call))
  // Only the first message carries the log position of the snapshot.
  let etag: string | undefined = tagOf(epoch, seq)
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES) {
      yield { chunk: chunk.subarray(start, start + MAX_CHUNK_BYTES), etag }
      etag = undefined
    }
}
