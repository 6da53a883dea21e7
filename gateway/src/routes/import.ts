import { extname, win32 } from 'node:path'
import { toUSVString } from 'node:util'
import { cutText, shorten } from '@sheaf/kit/truncate-text'
import { AppError, codes, toAppError } from '@sheaf/kit/errors'
import type { ImportProgress } from '@sheaf/protos/sheaf/document_data/v1/import'
import { importDocument } from '../documents/document-import'
import type { Exchange } from '../http/exchange'
import { readForm, type FormFile, type FormPart } from '../http/multipart'
import { sendHead, sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { importedDocument, importForm } from '../schemas/import'
import { workspaceParams } from '../schemas/parameters'
import { nameText } from '../schemas/text'

const LINES = 'application/x-ndjson'
const MAX_NAME = 256

/** Documents: import. */
export const importRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/workspaces/{workspaceId}/import',
    id: 'importDoc',
    tag: 'docs',
    summary: 'Import a file as a new document',
    description: `Creates a document from a CSV, TSV, XLSX or JSON file, a Grist document (\`.grist\`), a SQLite document downloaded from Sheaf, or a SQLite database of another program; at most 256 MiB by default. \`notes\` name what of the file was left out or changed, for example pages and access rules of a Grist document. With \`Accept: ${LINES}\` the response is NDJSON: \`{"progress": {"rowsRead", "rowsStored"}}\` at intervals, then \`{"document": …}\` with the body described below, or \`{"error", "details"}\`. Requires edit access to the workspace.`,
    access: 'caller',
    streams: true,
    params: workspaceParams,
    form: importForm,
    success: {
      description: 'New document and its tables',
      schema: importedDocument,
      otherMediaTypes: [LINES],
    },
    async handle(exchange, { params: { workspaceId } }) {
      const stop = new AbortController()
      const parts = readForm(exchange, AbortSignal.any([exchange.signal, stop.signal]))
      const { file, name } = await readUntilFile(parts)
      const title = name || titleOf(file.fileName)
      const lines = new ProgressLines(exchange)
      try {
        const onProgress = (progress: ImportProgress) => lines.report(progress)
        const upload = { file, workspaceId, title, onProgress }
        const whole = requireEnd(parts)
        // Creating the document rejects with the same error, which is reported there.
        whole.catch(() => {})
        const { docId, tables, notes } = await importDocument(exchange, upload, whole)
        const rows = tables.map((table) => ({ id: table.id, rows: table.rows }))
        lines.end({ id: docId, title, tables: rows, notes })
      } catch (error) {
        stop.abort(error)
        if (!lines.fail(error)) throw error
      }
    },
  }),
]

async function readUntilFile(
  parts: AsyncGenerator<FormPart>,
): Promise<{ file: FormFile; name: string }> {
  let name = ''
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const part = next.value
    if (part.kind === 'field') {
      if (part.name === 'name') name = readName(part.value)
    } else if (part.name === 'upload') return { file: part, name }
    else
      throw badUpload(
        `unexpected file field "${shorten(part.name)}": the file must be in the field "upload"`,
      )
  }
  throw badUpload('upload is required: the form must have one file in this field')
}

/** Reads a form to its end. Throws `invalid` for another file. */
async function requireEnd(parts: AsyncGenerator<FormPart>): Promise<void> {
  for await (const part of parts)
    if (part.kind === 'file') throw badUpload('upload must be a single file')
}

const badUpload = (message: string) =>
  new AppError('invalid', 'BAD_UPLOAD', message, { field: 'upload' })

function readName(value: string): string {
  const { success, data } = nameText.safeParse(value)
  if (success) return data
  throw new AppError('invalid', 'BAD_FIELD', 'name is too long or contains invalid characters', {
    field: 'name',
  })
}

/** The name of a file without folders, of any operating system, and without its extension, as a document name. */
function titleOf(fileName: string): string {
  const name = win32.basename(fileName, extname(fileName)).replace(/\0/g, '').trim()
  return cutText(toUSVString(name), MAX_NAME) || 'Imported document'
}

/** A response of NDJSON with progress if the client accepts that, else of one JSON object. */
class ProgressLines {
  private readonly isWanted: boolean
  private hasBegun = false

  constructor(private readonly exchange: Exchange) {
    this.isWanted = exchange.request.headers.accept?.includes(LINES) ?? false
  }

  report(progress: ImportProgress): void {
    const { rowsRead, rowsStored } = progress
    if (this.isWanted) this.write({ progress: { rowsRead, rowsStored } })
  }

  end(document: object): void {
    if (!this.isWanted) return sendJson(this.exchange, document)
    this.write({ document })
    this.exchange.response.end()
  }

  /** Writes the error as the last line. Returns false if no line was written, so that the caller can send an error response. */
  fail(error: unknown): boolean {
    if (!this.hasBegun) return false
    const known = toAppError(error)
    if (!known) this.exchange.context.log.error({ err: error }, 'import failed')
    const { message, reason, code, metadata } =
      known ?? new AppError('internal', 'INTERNAL', 'internal error')
    this.write({ error: message, details: { reason, status: codes[code].http, ...metadata } })
    this.exchange.response.end()
    return true
  }

  private write(line: object): void {
    if (!this.hasBegun) sendHead(this.exchange, { mediaType: LINES })
    this.hasBegun = true
    if (this.exchange.response.destroyed) return
    this.exchange.response.write(`${JSON.stringify(line)}\n`)
  }
}
