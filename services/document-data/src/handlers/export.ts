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
import { pendingNames, unfinishedColumns } from '../store/schema/unfinished-columns'
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
    const current = ctx.documents.stateOf(docId)
    if (options && isKnown(options, current)) {
      yield { chunk: NOTHING, etag: tagOf(current), notModified: true }
      return
    }
    const { epoch } = current
    // Previous values of cells require more than view access.
    const mayReadHistory = roleAtLeast(call.caller.role, 'editors')
    const form = { history: mayReadHistory && !noHistory && !template, data: !template }
    yield* ctx.documents.snapshots.read(
      docId,
      form,
      async function* (snapshot): AsyncGenerator<ExportDocumentResponse> {
        const { seq, changedAt, size, bytes, pendingColumns } = snapshot
        const etag = tagOf({ epoch, seq, isPending: pendingColumns !== undefined })
        yield { chunk: NOTHING, size, changedAt, pendingColumns, etag }
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
  readonly pendingColumns?: string
  readonly notModified?: boolean
}

async function* exportAs(
  ctx: Context,
  call: ServerCall,
  {
    docId,
    tableId,
    options,
  }: { readonly docId: string; readonly tableId: string; readonly options?: ReadOptions },
  plan: PlanExport,
): AsyncGenerator<Piece> {
  const current = ctx.documents.stateOf(docId)
  if (options && isKnown(options, current)) {
    yield { chunk: NOTHING, etag: tagOf(current), notModified: true }
    return
  }
  // The plan that was used last is of the schema that was read.
  let pendingColumns: string | undefined
  const planRead: PlanExport = (schema) => {
    const shown = tableId === '' ? schema.tables : [tableOf(schema, tableId)]
    pendingColumns = pendingNames(unfinishedColumns(shown))
    return plan(schema)
  }
  const { seq, chunks } = await ctx.documents.readExport(docId, planRead, readerOf(call))
  // Only the first message carries what is known of the snapshot.
  const isPending = pendingColumns !== undefined
  let state: Omit<Piece, 'chunk'> = {
    etag: tagOf({ epoch: current.epoch, seq, isPending }),
    pendingColumns,
  }
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES) {
      yield { chunk: chunk.subarray(start, start + MAX_CHUNK_BYTES), ...state }
      state = {}
    }
}
