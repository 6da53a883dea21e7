import { createHash } from 'node:crypto'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import {
  ImportedDocument,
  ImportTablesHead,
  type ImportDocumentRequest,
  type ImportDocumentResponse,
  type ImportService,
  type ImportTablesRequest,
  type ImportTablesResponse,
  type PreviewImportRequest,
  type PreviewImportResponse,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { Context } from '../context'
import { ImportDraft } from '../import/import-draft'
import type { Imported, ImportProgress } from '../import/import-file'
import type { ImportOptions } from '../import/import-options'
import { addDraftTables, appendDraftRows } from '../import/store-draft'
import { syncWritten } from '../store/sqlite/durable-files'
import { untilBroken } from './broken-upload'
import { authorOf, requireDocument } from './document-call'
import { findResponse, isStrict, runWrite } from './document-options'
import { Latest, readHead, ReceivedUpload } from './import-upload'
import { readAppendTarget, readImportOptions, toPreviewResponse } from './import-wire'

/** Rows that are imported into a document at once: the write blocks its instance. */
const MAX_ROWS_INTO = 100_000

/** Handlers of ImportService: files of other programs become documents, tables, and rows of a table. */
export const importDocument = (ctx: Context): ImportService => ({
  async *importDocument(
    parts: AsyncIterable<ImportDocumentRequest>,
    call: ServerCall,
  ): AsyncGenerator<ImportDocumentResponse> {
    const incoming = untilBroken(parts)
    const { docId, fileName, options: given } = await readHead(incoming)
    const options = readImportOptions(given)
    requireDocument(ctx, call, docId, 'owners')
    await using upload = await ReceivedUpload.receive(ctx, call, incoming)
    const progress = new Latest<ImportProgress>()
    const making = makeDocument(ctx, call, {
      docId,
      fileName,
      upload: upload.path,
      options,
      progress,
    })
    for await (const value of progress.until(making)) yield { part: { $case: 'progress', value } }
    yield { part: { $case: 'done', value: await making } }
  },

  async previewImport(
    parts: AsyncIterable<PreviewImportRequest>,
    call: ServerCall,
  ): Promise<PreviewImportResponse> {
    const incoming = untilBroken(parts)
    const { docId, fileName, options: given, isPart } = await readHead(incoming)
    const options = { ...readImportOptions(given), isPart }
    requireDocument(ctx, call, docId, 'editors')
    await using upload = await ReceivedUpload.receive(ctx, call, incoming)
    const { path, draftPath: target } = upload
    const order = { upload: path, fileName, options, target, author: authorOf(call) }
    return toPreviewResponse(await ctx.imports.preview(order, call.signal), isPart)
  },

  async *importTables(
    parts: AsyncIterable<ImportTablesRequest>,
    call: ServerCall,
  ): AsyncGenerator<ImportTablesResponse> {
    const incoming = untilBroken(parts)
    const head = await readHead(incoming)
    readImportOptions(head.options)
    if (head.writeOptions?.dryRun)
      throw new AppError('invalid', 'BAD_FIELD', 'write_options.dry_run is not supported')
    requireDocument(ctx, call, head.docId, 'editors')
    await using upload = await ReceivedUpload.receive(ctx, call, incoming)
    const progress = new Latest<ImportProgress>()
    const storing = storeTables(ctx, call, { head, upload, progress })
    for await (const value of progress.until(storing)) yield { part: { $case: 'progress', value } }
    yield { part: { $case: 'done', value: await storing } }
  },
})

interface Storing {
  readonly head: ImportTablesHead
  readonly upload: ReceivedUpload
  readonly progress: Latest<ImportProgress>
}

/** Makes a draft of the tables in a process, and then writes them or their rows as one change. */
async function storeTables(
  ctx: Context,
  call: ServerCall,
  { head, upload, progress }: Storing,
): Promise<ImportedDocument> {
  const { docId, fileName } = head
  const { path, draftPath: target } = upload
  const request = { docId, options: withContents(head, upload) }
  const kept = await findResponse(ctx, call, request, ImportedDocument)
  if (kept) return kept
  const given = head.append
  const append = given && ctx.documents.read(docId, (doc) => readAppendTarget(doc, given))
  const options = readImportOptions(head.options)
  const author = { ...authorOf(call), cause: 'import' as const }
  const order = { upload: path, fileName, options, target, author, into: { append } }
  const { tables, notes } = await ctx.imports.run(
    order,
    (value) => progress.set(value),
    call.signal,
  )
  requireFewRows(
    given?.sourceTableId ? tables.filter(({ id }) => id === given.sourceTableId) : tables,
  )
  using draft = ImportDraft.open(target)
  const strict = isStrict(request)
  return await runWrite(ctx, call, request, {
    response: ImportedDocument,
    cause: 'import',
    run: (doc) => ({
      // The table may have changed meanwhile.
      tables: given
        ? appendDraftRows(doc, draft, { append: readAppendTarget(doc, given), strict })
        : addDraftTables(doc, draft, strict),
      notes: [...notes],
    }),
  })
}

/** Adds the head and the file to the request digest, so that only the same import is a repetition. */
function withContents(head: ImportTablesHead, { sha256 }: ReceivedUpload) {
  const { writeOptions: options, ...rest } = head
  if (!options || options.idempotencyKey === '') return options
  const described = ImportTablesHead.encode({ ...rest, docId: '' }).finish()
  const digest = createHash('sha256').update(options.requestDigest).update(described)
  return { ...options, requestDigest: digest.update(sha256).digest() }
}

function requireFewRows(tables: Imported['tables']): void {
  if (tables.reduce((sum, { rows }) => sum + rows, 0) <= MAX_ROWS_INTO) return
  throw new AppError(
    'too_large',
    'IMPORT_TOO_LARGE',
    `an import into a document must not have more than ${MAX_ROWS_INTO} rows: import the file as a new document`,
    { field: 'upload', limit: String(MAX_ROWS_INTO) },
  )
}

interface Making {
  readonly docId: string
  readonly fileName: string
  readonly upload: string
  readonly options: ImportOptions
  readonly progress: Latest<ImportProgress>
}

async function makeDocument(
  ctx: Context,
  call: ServerCall,
  { docId, fileName, upload, options, progress }: Making,
): Promise<ImportedDocument> {
  const author = { ...authorOf(call), cause: 'import' as const }
  let made: Pick<Imported, 'tables' | 'notes'> = { tables: [], notes: [] }
  const { lifeCycle } = ctx.documents
  const { seq } = await lifeCycle.createFrom(docId, async (target) => {
    const documentFormat = lifeCycle.newFormat
    const order = { upload, fileName, target, author, documentFormat, options }
    const report = (value: ImportProgress) => progress.set(value)
    const imported = await ctx.imports.run(order, report, call.signal)
    await syncWritten(target)
    made = imported
    return imported.first
  })
  return { seq, tables: [...made.tables], notes: [...made.notes] }
}
