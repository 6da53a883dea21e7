import { extname, win32 } from 'node:path'
import { toUSVString } from 'node:util'
import { cutText } from '@sheaf/kit/truncate-text'
import type {
  ImportProgress,
  PreviewImportResponse,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import { importDocument } from '../documents/document-import'
import { importTables } from '../documents/tables-import'
import { ImportForm } from '../documents/import-form'
import { previewForDocument, previewForWorkspace } from '../documents/import-preview'
import type { Exchange } from '../http/exchange'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  importedDocument,
  importedTables,
  importForm,
  importTablesForm,
  importPreview,
  previewForm,
  toImportPreview,
} from '../schemas/import'
import { docParams, workspaceParams } from '../schemas/parameters'
import { LINES, ProgressLines } from './progress-lines'

const MAX_NAME = 256

const PREVIEW =
  'Reads a file as an import does and returns its tables with column types and the first 20 rows, and the options that were detected. Nothing is kept. Limits as for an import.'

const preview = {
  method: 'post',
  tag: 'docs',
  streams: true,
  form: previewForm,
  success: { description: 'Tables that an import would create', schema: importPreview },
} as const

async function sendPreview(
  exchange: Exchange,
  run: (form: ImportForm) => Promise<PreviewImportResponse>,
): Promise<void> {
  const form = await ImportForm.read(exchange, previewForm)
  try {
    const [previewed] = await Promise.all([run(form), form.whole])
    sendJson(exchange, toImportPreview(previewed))
  } catch (error) {
    form.stop(error)
    throw error
  }
}

/** Documents: import as a document or into one, and preview of an import. */
export const importRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/workspaces/{workspaceId}/import',
    id: 'importDoc',
    tag: 'docs',
    summary: 'Import a file as a new document',
    description: `Creates a document from a CSV, TSV, XLSX or JSON file, a Grist document (\`.grist\`), a SQLite document downloaded from Sheaf, or a SQLite database of another program; at most 256 MiB by default. \`options\` say how the file is read, for example its delimiter and decimal separator. \`notes\` name what of the file was left out or changed, for example pages and access rules of a Grist document. With \`Accept: ${LINES}\` the response is NDJSON: \`{"progress": {"rowsRead", "rowsStored"}}\` at intervals, then \`{"document": …}\` with the body described below, or \`{"error", "details"}\`. Requires edit access to the workspace.`,
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
      const form = await ImportForm.read(exchange, importForm)
      const { file, name, options, whole } = form
      const title = name || titleOf(file.fileName)
      const lines = new ProgressLines(exchange)
      try {
        const onProgress = (progress: ImportProgress) => lines.report(progress)
        const upload = { file, options, workspaceId, title, onProgress }
        const { docId, tables, notes } = await importDocument(exchange, upload, whole)
        const rows = tables.map((table) => ({ id: table.id, rows: table.rows }))
        lines.end({ id: docId, title, tables: rows, notes }, 'document')
      } catch (error) {
        form.stop(error)
        if (!lines.fail(error)) throw error
      }
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/import',
    id: 'importTables',
    conditions: 'write',
    tag: 'docs',
    summary: 'Import a file into a document',
    description: `Adds the tables of a file to a document, or with \`target\` its rows to a table, as one change; at most 100,000 rows. With the same \`Idempotency-Key\`, only the same file and fields are a repetition. The file is one of those of an import as a new document, other than a document of Sheaf or Grist. With \`Accept: ${LINES}\` the response is NDJSON: \`{"progress": {"rowsRead", "rowsStored"}}\` at intervals, then \`{"imported": …}\` with the body described below, or \`{"error", "details"}\`. Requires edit access.`,
    access: 'editors',
    streams: true,
    params: docParams,
    form: importTablesForm,
    success: {
      description: 'Tables that were added or extended',
      schema: importedTables,
      otherMediaTypes: [LINES],
    },
    async handle(exchange, { document }) {
      const form = await ImportForm.read(exchange, importTablesForm)
      const lines = new ProgressLines(exchange)
      try {
        const onProgress = (progress: ImportProgress) => lines.report(progress)
        const { seq, tables, notes } = await importTables(exchange, document, form, onProgress)
        const added = tables.map(({ id, rows }) => ({ id, rows }))
        lines.end({ tables: added, seq, notes }, 'imported')
      } catch (error) {
        form.stop(error)
        if (!lines.fail(error)) throw error
      }
    },
  }),
  defineRoute({
    ...preview,
    path: '/api/workspaces/{workspaceId}/import/preview',
    id: 'previewImportOfDoc',
    summary: 'Preview a file to import as a new document',
    description: `${PREVIEW} Requires edit access to the workspace.`,
    access: 'caller',
    params: workspaceParams,
    async handle(exchange, { params: { workspaceId } }) {
      await sendPreview(exchange, (form) => previewForWorkspace(exchange, workspaceId, form))
    },
  }),
  defineRoute({
    ...preview,
    path: '/api/docs/{docId}/import/preview',
    id: 'previewImport',
    summary: 'Preview a file to import',
    description: `${PREVIEW} Requires edit access to the document.`,
    access: 'editors',
    params: docParams,
    async handle(exchange, { document }) {
      await sendPreview(exchange, (form) => previewForDocument(exchange, document, form))
    },
  }),
]

/** The name of a file without folders, of any operating system, and without its extension, as a document name. */
function titleOf(fileName: string): string {
  const name = win32.basename(fileName, extname(fileName)).replace(/\0/g, '').trim()
  return cutText(toUSVString(name), MAX_NAME) || 'Imported document'
}
