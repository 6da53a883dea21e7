import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  ImportDocumentRequest,
  ImportDocumentResponse,
  ImportedDocument,
  ImportService,
  PreviewImportRequest,
  PreviewImportResponse,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { Context } from '../context'
import type { Imported, ImportProgress } from '../import/import-file'
import type { ImportOptions } from '../import/import-options'
import { syncWritten } from '../store/sqlite/durable-files'
import { authorOf, requireDocument } from './document-call'
import { readImportOptions, toPreviewResponse } from './import-wire'

const MIB = 1024 * 1024

/** Handlers of ImportService: create documents from files of other programs. */
export const importDocument = (ctx: Context): ImportService => ({
  async *importDocument(
    parts: AsyncIterable<ImportDocumentRequest>,
    call: ServerCall,
  ): AsyncGenerator<ImportDocumentResponse> {
    const incoming = parts[Symbol.asyncIterator]()
    const first = await incoming.next()
    const part = first.done ? undefined : first.value.part
    if (part?.$case !== 'head') throw badPart('the first message must be the head')
    const { docId, fileName } = part.value
    const options = readImportOptions(part.value.options)
    requireDocument(ctx, call, docId, 'owners')
    const leave = ctx.imports.hold(call.caller.userId)
    let scratch: string | undefined
    try {
      scratch = await ctx.documents.lifeCycle.createScratch()
      const upload = join(scratch, 'upload')
      await receive(upload, incoming, ctx.maxImportBytes)
      const progress = new Latest<ImportProgress>()
      const making = makeDocument(ctx, call, { docId, fileName, upload, options, progress })
      for await (const value of progress.until(making)) yield { part: { $case: 'progress', value } }
      yield { part: { $case: 'done', value: await making } }
    } finally {
      if (scratch) await rm(scratch, { recursive: true, force: true })
      leave()
    }
  },

  async previewImport(
    parts: AsyncIterable<PreviewImportRequest>,
    call: ServerCall,
  ): Promise<PreviewImportResponse> {
    const incoming = parts[Symbol.asyncIterator]()
    const first = await incoming.next()
    const part = first.done ? undefined : first.value.part
    if (part?.$case !== 'head') throw badPart('the first message must be the head')
    const { docId, fileName, isPart } = part.value
    const options = { ...readImportOptions(part.value.options), isPart }
    requireDocument(ctx, call, docId, 'editors')
    const leave = ctx.imports.hold(call.caller.userId)
    let scratch: string | undefined
    try {
      scratch = await ctx.documents.lifeCycle.createScratch()
      const upload = join(scratch, 'upload')
      await receive(upload, incoming, ctx.maxImportBytes)
      const order = {
        upload,
        fileName,
        options,
        target: join(scratch, 'draft'),
        author: authorOf(call),
      }
      return toPreviewResponse(await ctx.imports.preview(order, call.signal), isPart)
    } finally {
      if (scratch) await rm(scratch, { recursive: true, force: true })
      leave()
    }
  },
})

const badPart = (message: string) =>
  new AppError('invalid', 'BAD_FIELD', message, { field: 'part' })

/** Writes the upload to a file. Throws `too_large` beyond the size limit. */
async function receive(
  path: string,
  incoming: AsyncIterator<Pick<ImportDocumentRequest | PreviewImportRequest, 'part'>>,
  maxBytes: number,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  let bytes = 0
  try {
    for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
      const { part } = next.value
      if (part?.$case !== 'chunk') throw badPart('every message after the first must be a chunk')
      bytes += part.value.length
      if (bytes > maxBytes)
        throw new AppError(
          'too_large',
          'UPLOAD_TOO_LARGE',
          `upload must not be larger than ${Math.floor(maxBytes / MIB)} MiB`,
          { field: 'upload', limit: String(maxBytes), setting: 'SHEAF_MAX_IMPORT_MB' },
        )
      await file.writeFile(part.value)
    }
  } finally {
    await file.close()
  }
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

/** Holds the latest value; values that arrive faster than they are consumed are dropped. */
class Latest<T> {
  private value: T | undefined
  private wake: () => void = () => {}

  set(value: T): void {
    this.value = value
    this.wake()
  }

  /** Yields values until the promise is settled, whether fulfilled or rejected. */
  async *until(end: Promise<unknown>): AsyncGenerator<T> {
    let ended = false
    const finish = () => {
      ended = true
      this.wake()
    }
    end.then(finish, finish)
    for (;;) {
      const { value } = this
      this.value = undefined
      if (ended) return
      if (value !== undefined) yield value
      else await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }
}
